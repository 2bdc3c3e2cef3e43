/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import static dev.baton.benchmarks.report.ReportFormatter.line;

import dev.baton.benchmarks.snapshot.SnapshotPhase;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import dev.baton.benchmarks.snapshot.SnapshotRoundResult;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Writes Baton's goals next to the measured figures. */
final class SnapshotGoalsWriter {
  private static final double MEGABYTE = 1 << 20;

  private final SnapshotResult result;
  private final ToolResult baton;
  private final StringBuilder rows = new StringBuilder();

  private SnapshotGoalsWriter(SnapshotResult result, ToolResult baton) {
    this.result = result;
    this.baton = baton;
  }

  /** Returns a section of the page; empty when Baton was not measured. */
  static String of(SnapshotResult result) {
    ToolResult baton = result.tools().get("baton");
    return baton == null ? "" : new SnapshotGoalsWriter(result, baton).section();
  }

  private String section() {
    against("tar", "first capture", round -> round.wallS(SnapshotPhase.FIRST), 1);
    row(
        "unchanged, relative to a stat of every file",
        baton.median(round -> round.wallS(SnapshotPhase.UNCHANGED)) / result.floor().statS(),
        2.5);
    against("restic", "ten files", round -> round.wallS(SnapshotPhase.TEN), 1 / 6.0);
    against("tar", "ten files", round -> round.wallS(SnapshotPhase.TEN), 1 / 5.0);
    against("tar", "restore", round -> round.wallS(SnapshotPhase.RESTORE), 1.3);
    against("restic", "restore", round -> round.wallS(SnapshotPhase.RESTORE), 1 / 3.0);
    double smallest =
        result.tools().values().stream()
            .mapToDouble(tool -> tool.median(SnapshotRoundResult::storedBytes))
            .min()
            .orElseThrow();
    row(
        "stored, relative to the smallest",
        baton.median(SnapshotRoundResult::storedBytes) / smallest,
        1.05);
    row(
        "peak memory, in units of 400 MB",
        baton.median(SnapshotRoundResult::peakRssBytes) / MEGABYTE / 400,
        1);
    return "\n## Goals\n\n| Baton's share of | is | goal | |\n|---|--:|--:|---|\n" + rows;
  }

  private void against(
      String peer, String what, ToDoubleFunction<SnapshotRoundResult> figure, double goal) {
    @Nullable ToolResult other = result.tools().get(peer);
    if (other != null) {
      row(peer + "'s time, " + what, baton.median(figure) / other.median(figure), goal);
    }
  }

  private void row(String what, double ratio, double goal) {
    rows.append(
        line("| %s | %.2f | ≤ %.2f | %s |\n", what, ratio, goal, ratio <= goal ? "met" : "missed"));
  }
}
