/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import dev.baton.benchmarks.snapshot.FileIoFloor;
import dev.baton.benchmarks.snapshot.SnapshotPhase;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import dev.baton.benchmarks.snapshot.SnapshotRoundResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the figures as Markdown. */
public final class SnapshotMarkdownWriter {
  private static final double MEGABYTE = 1 << 20;

  private SnapshotMarkdownWriter() {}

  static String title(SnapshotPhase phase) {
    return switch (phase) {
      case FIRST -> "First capture";
      case UNCHANGED -> "Capture, nothing changed";
      case PERCENT -> "Capture, one file in a hundred changed";
      case TEN -> "Capture, ten files changed";
      case RESTORE -> "Restore of everything";
    };
  }

  /** Returns a page with the table, the comparison with the goals, and the method. */
  public static String of(SnapshotResult result) {
    StringBuilder page = new StringBuilder("# Snapshots\n\n");
    page.append(result.at()).append(", ").append(result.machine()).append(".\n");
    page.append(
        ReportFormatter.line(
            "The tree (%s): %,d files in %,d folders, %,d MB; %,d files are 1 %%."
                + " Medians over %d rounds.\n\n",
            result.tree(),
            result.content().files(),
            result.content().folders(),
            result.content().bytes() >> 20,
            result.percentFiles(),
            result.floors().size()));
    page.append(
        "| | first | unchanged | 1 % changed | 10 files changed | restore | stored, first | stored,"
            + " all | processor | of it servers | peak memory | restored tree | machine busy"
            + " elsewhere |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|\n");
    result.tools().forEach((name, tool) -> page.append(row(name, tool)));
    FileIoFloor floor = result.floor();
    page.append("\nThe floor, on the same tree: ");
    page.append(
        ReportFormatter.line(
            "stat of every file %.2f s, reading all bytes %.2f s, `tar | zstd -3 -T2` %.2f s.\n",
            floor.statS(), floor.readS(), floor.zstdS()));
    page.append(SnapshotGoalsWriter.of(result));
    page.append("\n## What was measured\n\n");
    result
        .tools()
        .forEach(
            (name, tool) -> page.append(ReportFormatter.line("- %s: %s\n", name, tool.version())));
    page.append("\n![Snapshots](snapshot.svg)\n");
    return page.toString();
  }

  private static String row(String name, ToolResult tool) {
    StringBuilder row = new StringBuilder("| " + name + " |");
    for (SnapshotPhase phase : SnapshotPhase.values()) {
      row.append(ReportFormatter.line(" %.2f s |", tool.median(round -> round.wallS(phase))));
    }
    return row.append(
            ReportFormatter.line(
                " %,.0f MB | %,.0f MB | %.1f s | %.1f s | %,.0f MB | %s | %s |\n",
                tool.median(SnapshotRoundResult::firstBytes) / MEGABYTE,
                tool.median(SnapshotRoundResult::storedBytes) / MEGABYTE,
                tool.median(SnapshotRoundResult::cpuS),
                tool.median(SnapshotRoundResult::serverCpuS),
                tool.median(SnapshotRoundResult::peakRssBytes) / MEGABYTE,
                restored(tool.differences()),
                ReportFormatter.elsewhere(
                    tool.rounds().stream().map(SnapshotRoundResult::elsewhere))))
        .toString();
  }

  private static String restored(@Nullable List<String> differences) {
    if (differences == null) {
      return "not compared";
    }
    return differences.isEmpty() ? "the same" : "differs: `" + differences.getFirst() + "`";
  }
}
