/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import dev.baton.benchmarks.report.BarChartPanel.Bar;
import dev.baton.benchmarks.snapshot.FileIoFloor;
import dev.baton.benchmarks.snapshot.SnapshotPhase;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import dev.baton.benchmarks.snapshot.SnapshotRoundResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Writes the figures as an SVG chart: bars are medians, dots are rounds. */
public final class SnapshotSvgWriter {
  private static final String FLOOR = "#9a9a9a";
  private static final String OTHER = "#777777";
  private static final Map<String, String> COLOURS =
      Map.of("baton", "#2f6db5", "tar", "#b58a2f", "restic", "#5f9e5f", "borg", "#a05fa0");
  private static final double MEGABYTE = 1 << 20;

  private SnapshotSvgWriter() {}

  public static String of(SnapshotResult result) {
    List<BarChartPanel> panels = new ArrayList<>();
    for (SnapshotPhase phase : SnapshotPhase.values()) {
      List<Bar> bars = new ArrayList<>();
      switch (phase) {
        case FIRST, RESTORE -> {
          bars.add(floor("read all", result, FileIoFloor::readS));
          bars.add(floor("tar | zstd -3 -T2", result, FileIoFloor::zstdS));
        }
        case UNCHANGED, PERCENT, TEN -> bars.add(floor("stat all", result, FileIoFloor::statS));
      }
      bars.addAll(bars(result, round -> round.wallS(phase)));
      panels.add(new BarChartPanel(SnapshotMarkdownWriter.title(phase), "s", bars));
    }
    panels.add(
        new BarChartPanel(
            "Stored after four captures", "MB", bars(result, SnapshotSvgWriter::stored)));
    panels.add(
        new BarChartPanel(
            "CPU time of all captures and the restore, servers included",
            "s",
            bars(result, SnapshotRoundResult::cpuS)));
    panels.add(
        new BarChartPanel(
            "Peak memory of the client", "MB", bars(result, r -> r.peakRssBytes() / MEGABYTE)));
    return SvgChartWriter.of(
        panels, "Bars: medians; dots: rounds. " + result.machine() + ", " + result.at());
  }

  private static double stored(SnapshotRoundResult round) {
    return round.storedBytes() / MEGABYTE;
  }

  private static Bar floor(
      String label, SnapshotResult result, ToDoubleFunction<FileIoFloor> figure) {
    List<Double> rounds = result.floors().stream().map(it -> figure.applyAsDouble(it)).toList();
    return new Bar(label, figure.applyAsDouble(result.floor()), rounds, FLOOR);
  }

  private static List<Bar> bars(
      SnapshotResult result, ToDoubleFunction<SnapshotRoundResult> figure) {
    List<Bar> bars = new ArrayList<>();
    result
        .tools()
        .forEach(
            (name, tool) ->
                bars.add(
                    new Bar(
                        name,
                        tool.median(figure),
                        tool.rounds().stream().map(it -> figure.applyAsDouble(it)).toList(),
                        COLOURS.getOrDefault(name, OTHER))));
    return bars;
  }
}
