/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.security;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.benchmarks.steps.StepsSummary;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The same steps on a stack without and with everything that secures it.
 *
 * @param at when it was measured
 * @param machine processors, memory and kernel in one line
 */
public record SecurityResult(Instant at, String machine, SystemResult open, SystemResult secured) {

  /** How many times as long the median step of the secured stack takes. */
  public double p50Ratio() {
    return secured.median().p50Ms() / open.median().p50Ms();
  }

  /** How many times as many steps the secured stack completes in a second of a burst. */
  public double stepsRatio() {
    return secured.median().stepsPerS() / open.median().stepsPerS();
  }

  public String table() {
    StringBuilder page = new StringBuilder("# Security\n\n");
    page.append(at).append(", ").append(machine).append(".\n");
    page.append("Medians over ").append(open.turns().size()).append(" rounds, by turns.\n\n");
    page.append(
        "| | step p50 | step p99 | steps/s | run p50 | flushes/step, one run | flushes/step, burst |"
            + " memory |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    page.append(row("without", open)).append(row("with everything", secured));
    page.append(
        String.format(
            Locale.ROOT,
            "| ratio | %.2f | %.2f | %.2f | %.2f | | | %.2f |%n",
            p50Ratio(),
            ratio(open.median().p99Ms(), secured.median().p99Ms()),
            stepsRatio(),
            ratio(open.median().runP50Ms(), secured.median().runP50Ms()),
            ratio(open.median().rssMb(), secured.median().rssMb())));
    page.append(
        "\n| processor time per step in a burst | without | with everything |\n|---|--:|--:|\n");
    Map<String, Double> before = open.turns().getLast().burstCpuUs();
    Map<String, Double> after = secured.turns().getLast().burstCpuUs();
    for (String part : new TreeSet<>(after.keySet())) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %.0f µs | %.0f µs |%n",
              part,
              before.getOrDefault(part, 0.0),
              after.get(part)));
    }
    return page.toString();
  }

  private static String row(String name, SystemResult measured) {
    StepsSummary median = measured.median();
    StepsRoundResult last = measured.turns().getLast();
    return String.format(
        Locale.ROOT,
        "| %s | %.2f ms | %.2f ms | %,.0f | %.0f ms | %s | %s | %.0f MB |%n",
        name,
        median.p50Ms(),
        median.p99Ms(),
        median.stepsPerS(),
        median.runP50Ms(),
        flushes(last.sequentialFlushes()),
        flushes(last.burstFlushes()),
        median.rssMb());
  }

  private static String flushes(@Nullable Double perStep) {
    return perStep == null ? "" : String.format(Locale.ROOT, "%.2f", perStep);
  }

  private static double ratio(double before, double after) {
    return after / before;
  }

  public String json() {
    ObjectNode all =
        Json.mapper()
            .createObjectNode()
            .put("at", at.toString())
            .put("machine", machine)
            .put("p50_ratio", p50Ratio())
            .put("steps_ratio", stepsRatio());
    all.set("without", Json.mapper().valueToTree(open));
    all.set("with", Json.mapper().valueToTree(secured));
    return all.toString();
  }
}
