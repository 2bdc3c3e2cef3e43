/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import dev.baton.benchmarks.steps.StepsResult;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.benchmarks.steps.StepsSummary;
import dev.baton.benchmarks.steps.StepsWorkload;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the figures as Markdown. */
public final class StepsMarkdownWriter {
  private static final String UNKNOWN = "";

  private StepsMarkdownWriter() {}

  /** Returns a page with the table, the cost of each part, and the method. */
  public static String of(StepsResult result) {
    StringBuilder page = new StringBuilder("# Steps\n\n");
    page.append(result.at()).append(", ").append(result.machine()).append(".\n");
    page.append(describe(result.work(), result.baton().turns().size())).append("\n\n");
    page.append(
        "| | step p50 | step p99 | steps/s | run p50 | run p99 | memory | flushes/step, one run |"
            + " flushes/step, burst | machine busy elsewhere |\n"
            + "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    page.append(row("Baton", result.baton()));
    SystemResult restate = result.restate();
    if (restate != null) {
      page.append(row("Restate", restate));
    }
    var floor = result.floor();
    if (floor != null) {
      page.append(
          ReportFormatter.line(
              "| Floor: acknowledged, flushed 400-byte appends | %.2f ms | %.2f ms | %,.0f | | | |"
                  + " | | |\n",
              floor.p50Ms(), floor.p99Ms(), floor.appendsPerS()));
    }
    page.append("\n## Where it goes\n\n");
    page.append(parts("Baton", result.baton()));
    if (restate != null) {
      page.append(parts("Restate", restate));
    }
    page.append("\n![Steps](steps.svg)\n");
    return page.toString();
  }

  private static String describe(StepsWorkload work, int rounds) {
    return ReportFormatter.line(
        "Medians over %d rounds; each system's turn has %d runs of %d steps one after the other and"
            + " %d bursts of %d runs of %d steps. %s",
        rounds,
        work.sequentialRuns(),
        work.sequentialSteps(),
        work.bursts(),
        work.burstRuns(),
        work.burstSteps(),
        switch (work.kind()) {
          case TRANSFORM -> "A step returns its input.";
          case WAIT -> "A step waits for %d ms.".formatted(work.kind().waitMillis());
        });
  }

  private static String row(String name, SystemResult measured) {
    StepsSummary median = measured.median();
    StepsRoundResult last = measured.turns().getLast();
    return ReportFormatter.line(
        "| %s | %.2f ms | %.2f ms | %,.0f | %.0f ms | %.0f ms | %s | %s | %s | %s |\n",
        name,
        median.p50Ms(),
        median.p99Ms(),
        median.stepsPerS(),
        median.runP50Ms(),
        median.runP99Ms(),
        median.rssMb() == 0 ? UNKNOWN : ReportFormatter.line("%.0f MB", median.rssMb()),
        flushes(last.sequentialFlushes()),
        flushes(last.burstFlushes()),
        ReportFormatter.elsewhere(measured.turns().stream().map(StepsRoundResult::elsewhere)));
  }

  private static String flushes(@Nullable Double perStep) {
    return perStep == null ? UNKNOWN : ReportFormatter.line("%.2f", perStep);
  }

  private static String parts(String name, SystemResult measured) {
    StepsRoundResult last = measured.turns().getLast();
    if (last.rssMbByPart().isEmpty()) {
      return "";
    }
    StringBuilder rows = new StringBuilder();
    rows.append("| ").append(name);
    rows.append(
        ", last round | memory | processor time per step, one run | processor time per step, burst"
            + " |\n|---|--:|--:|--:|\n");
    for (Map.Entry<String, Double> part : last.rssMbByPart().entrySet()) {
      rows.append(
          ReportFormatter.line(
              "| %s | %.0f MB | %.0f µs | %.0f µs |\n",
              part.getKey(),
              part.getValue(),
              last.sequentialCpuUs().getOrDefault(part.getKey(), 0.0),
              last.burstCpuUs().getOrDefault(part.getKey(), 0.0)));
    }
    rows.append(
        ReportFormatter.line(
            "| sum | %.0f MB (%.0f MB with shared pages counted once) | %.0f µs | %.0f µs |\n\n",
            last.rssMb(), last.pssMb(), last.sequentialCpuSum(), last.burstCpuSum()));
    return rows.toString();
  }
}
