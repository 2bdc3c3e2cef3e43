/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.report.ReportFormatter;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All figures of one measurement.
 *
 * @param at when it ended
 * @param machine processors, memory and kernel in one line
 * @param steps that were to be done
 * @param partitionBytes how much of its log a partition keeps
 * @param limitPercent by how much a figure may grow
 * @param keepRuns whether ended runs were kept
 * @param takenOver number of runs in bursts, warm-up included, that lost their runner and were
 *     continued by another
 * @param samples one after each tenth; at least three
 */
public record SoakResult(
    Instant at,
    String machine,
    long steps,
    long partitionBytes,
    int limitPercent,
    boolean keepRuns,
    int takenOver,
    List<SoakSample> samples) {
  private static final int LEAST = 3;
  private static final double MEGABYTE = 1024.0 * 1024;

  public SoakResult {
    samples = List.copyOf(samples);
    if (samples.size() < LEAST) {
      throw new IllegalArgumentException("a growth needs " + LEAST + " samples");
    }
  }

  /** Returns the growth of each figure. */
  public List<SoakGrowth> growth() {
    return SoakGrowth.of(samples, limitPercent, keepRuns);
  }

  /** Returns the figures that have grown by more than their limit. */
  public List<SoakGrowth> above() {
    return growth().stream().filter(SoakGrowth::isAbove).toList();
  }

  /** Returns a page with the samples and the growth. */
  public String table() {
    StringBuilder page = new StringBuilder("# Soak\n\n");
    page.append(at).append(", ").append(machine).append(".\n");
    page.append(
        ReportFormatter.line(
            "%,d of %,d steps in bursts of 200 runs of 10 steps, in %,.0f min; ended runs are %s, a"
                + " partition keeps %,.0f MiB; runs that another runner has continued: %,d.%n%n",
            samples.getLast().steps(),
            steps,
            samples.getLast().seconds() / 60,
            keepRuns ? "kept" : "deleted",
            partitionBytes / MEGABYTE,
            takenOver));
    page.append(
        "| steps | steps/s | step p50 | p99 | floor p50 | p99 | appends/s | RSS | PSS | heap | Kafka |"
            + " database | objects |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (SoakSample sample : samples) {
      page.append(row(sample)).append("\n");
    }
    page.append(
        ReportFormatter.line(
            "%n| from the early to the late samples | early | late | ratio | limit |%n"
                + "|---|--:|--:|--:|--:|%n"));
    for (SoakGrowth figure : growth()) {
      page.append(
          ReportFormatter.line(
              "| %s%s | %s | %s | %s | %s%s |%n",
              figure.label(),
              figure.unit().isEmpty() ? "" : " (" + figure.unit() + ")",
              ReportFormatter.line("%,.2f", figure.early()),
              ReportFormatter.line("%,.2f", figure.late()),
              Double.isFinite(figure.ratio()) ? ReportFormatter.line("%.2f", figure.ratio()) : "–",
              figure.limit().map(most -> ReportFormatter.line("%.2f", most)).orElse("–"),
              figure.isAbove() ? ", **above**" : ""));
    }
    return page.toString();
  }

  /** Returns a row of the table, also for progress. */
  static String row(SoakSample sample) {
    return ReportFormatter.line(
        "| %,d | %,.0f | %.2f ms | %.2f ms | %.2f ms | %.2f ms | %,.0f | %,.0f MB | %,.0f MB |"
            + " %,.0f MB | %,.0f MB | %,.0f MB | %,.1f MB |",
        sample.steps(),
        sample.stepsPerS(),
        sample.p50Ms(),
        sample.p99Ms(),
        sample.floor().p50Ms(),
        sample.floor().p99Ms(),
        sample.floor().appendsPerS(),
        sum(sample.rss()),
        sum(sample.pss()),
        sum(sample.heap()),
        sample.disk().getOrDefault("kafka", 0L) / MEGABYTE,
        sample.disk().getOrDefault("postgres database", 0L) / MEGABYTE,
        sample.disk().getOrDefault("objects", 0L) / MEGABYTE);
  }

  private static double sum(Map<String, Long> parts) {
    return parts.values().stream().mapToLong(Long::longValue).sum() / MEGABYTE;
  }

  /**
   * Returns one line: {@code
   * {"at":…,"machine":…,"steps":…,"taken_over":…,"samples":[…],"growth":[{"figure":…,
   * "early":…,"late":…,"ratio":…,"limit":…,"above":…}]}}.
   */
  public String json() {
    ObjectNode all =
        Json.mapper()
            .createObjectNode()
            .put("at", at.toString())
            .put("machine", machine)
            .put("steps", steps)
            .put("partition_bytes", partitionBytes)
            .put("taken_over", takenOver);
    all.set("samples", Json.mapper().valueToTree(samples));
    ArrayNode growth = all.putArray("growth");
    for (SoakGrowth figure : growth()) {
      growth
          .addObject()
          .put("figure", figure.label())
          .put("early", figure.early())
          .put("late", figure.late())
          .put("ratio", Double.isFinite(figure.ratio()) ? figure.ratio() : null)
          .put("limit", figure.limit().orElse(null))
          .put("above", figure.isAbove());
    }
    return all.toString();
  }
}
