/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import dev.baton.benchmarks.measure.MedianCalculator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The growth of a figure from the early to the late samples.
 *
 * @param label of the figure
 * @param unit of both values; empty for a ratio
 * @param early value of the early samples
 * @param late value of the late samples
 * @param limitPercent by how much it may grow; null: by any amount
 * @param ignored a growth of at most this does not count
 */
public record SoakGrowth(
    String label,
    String unit,
    double early,
    double late,
    @Nullable Integer limitPercent,
    double ignored) {
  /** A percentile of a few thousand steps scatters more than a median. */
  private static final int TAIL_FACTOR = 4;

  private static final String DATABASE = "postgres database";

  private static final double MEGABYTE = 1024.0 * 1024;

  /** Buffers and tables that grow by steps. */
  private static final double IGNORED_MB = 16;

  /**
   * Compares the samples of the first half with as many of the second; the first one is left out,
   * since its steps fill caches and tables.
   *
   * <p>Latency and throughput: medians of the ratios to the floor of the same time, so that a
   * slower minute of the machine does not count. Memory: the lowest values, since it swings with
   * garbage collections, and what is never released raises the lowest. Disk: the highest values.
   *
   * @param samples at least three
   * @param limitPercent by how much a figure may grow
   * @param keepRuns whether the database keeps all runs, and has no limit
   */
  static List<SoakGrowth> of(List<SoakSample> samples, int limitPercent, boolean keepRuns) {
    int compared = (samples.size() - 1) / 2;
    List<SoakSample> early = samples.subList(1, 1 + compared);
    List<SoakSample> late = samples.subList(samples.size() - compared, samples.size());
    return new Comparison(early, late, limitPercent).all(keepRuns);
  }

  private record Comparison(List<SoakSample> early, List<SoakSample> late, int limitPercent) {
    List<SoakGrowth> all(boolean keepRuns) {
      List<SoakGrowth> all = new ArrayList<>();
      all.add(ratio("step p50 to the floor", limitPercent, s -> s.p50Ms() / s.floor().p50Ms()));
      all.add(
          ratio(
              "step p99 to the floor",
              limitPercent * TAIL_FACTOR,
              s -> s.p99Ms() / s.floor().p99Ms()));
      all.add(
          ratio(
              "appends/s of the floor to steps/s",
              limitPercent,
              s -> s.floor().appendsPerS() / s.stepsPerS()));
      all.addAll(parts("RSS", SoakSample::rss, Math::min, ""));
      all.addAll(parts("PSS", SoakSample::pss, Math::min, ""));
      all.addAll(parts("heap", SoakSample::heap, Math::min, ""));
      all.addAll(parts("disk", SoakSample::disk, Math::max, keepRuns ? DATABASE : ""));
      return all;
    }

    private SoakGrowth ratio(String label, int percent, ToDoubleFunction<SoakSample> figure) {
      return new SoakGrowth(
          label,
          "",
          MedianCalculator.of(early, figure),
          MedianCalculator.of(late, figure),
          percent,
          0);
    }

    private List<SoakGrowth> parts(
        String kind,
        Function<SoakSample, Map<String, Long>> figures,
        LongBinaryOperator chosen,
        String unlimited) {
      return new TreeSet<>(figures.apply(late.getLast()).keySet())
          .stream()
              .map(
                  part ->
                      new SoakGrowth(
                          kind + ", " + part,
                          "MB",
                          megabytes(early, figures, part, chosen),
                          megabytes(late, figures, part, chosen),
                          unlimited.equals(part) ? null : limitPercent,
                          IGNORED_MB))
              .toList();
    }

    private static double megabytes(
        List<SoakSample> samples,
        Function<SoakSample, Map<String, Long>> figures,
        String part,
        LongBinaryOperator chosen) {
      return samples.stream()
              .mapToLong(sample -> figures.apply(sample).getOrDefault(part, 0L))
              .reduce(chosen)
              .orElseThrow()
          / MEGABYTE;
    }
  }

  double ratio() {
    return late / early;
  }

  /** Returns the ratio that is allowed. */
  Optional<Double> limit() {
    return Optional.ofNullable(limitPercent).map(percent -> 1 + percent / 100.0);
  }

  boolean isAbove() {
    return limitPercent != null
        && late > early * (1 + limitPercent / 100.0)
        && late - early > ignored;
  }

  /** Returns the figure and both values, for a message. */
  public String describe() {
    return String.format(
                Locale.ROOT, "%s %.2f times (%,.1f to %,.1f %s", label, ratio(), early, late, unit)
            .strip()
        + ")";
  }
}
