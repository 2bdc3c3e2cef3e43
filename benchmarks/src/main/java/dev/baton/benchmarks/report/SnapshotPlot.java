/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import dev.baton.benchmarks.report.Bars.Bar;
import dev.baton.benchmarks.snapshot.Floor;
import dev.baton.benchmarks.snapshot.Phase;
import dev.baton.benchmarks.snapshot.Round;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The figures as an SVG picture: bars are medians, dots are rounds. */
public final class SnapshotPlot {
  private static final String FLOOR = "#9a9a9a";
  private static final String OTHER = "#777777";
  private static final Map<String, String> COLOURS =
      Map.of("baton", "#2f6db5", "tar", "#b58a2f", "restic", "#5f9e5f", "borg", "#a05fa0");
  private static final double MEGABYTE = 1 << 20;

  private SnapshotPlot() {}

  public static String of(SnapshotResult result) {
    List<Bars> panels = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      List<Bar> bars = new ArrayList<>();
      switch (phase) {
        case FIRST, RESTORE -> {
          bars.add(floor("read all", result, Floor::readS));
          bars.add(floor("tar | zstd -3 -T2", result, Floor::zstdS));
        }
        case UNCHANGED, PERCENT, TEN -> bars.add(floor("stat all", result, Floor::statS));
      }
      bars.addAll(bars(result, round -> round.wallS(phase)));
      panels.add(new Bars(SnapshotTable.title(phase), "s", bars));
    }
    panels.add(new Bars("Stored after four captures", "MB", bars(result, SnapshotPlot::stored)));
    panels.add(
        new Bars(
            "Processor time of all captures and the restore, servers included",
            "s",
            bars(result, Round::cpuS)));
    panels.add(
        new Bars(
            "Peak memory of the client", "MB", bars(result, r -> r.peakRssBytes() / MEGABYTE)));
    return Picture.of(
        panels, "Bars: medians; dots: rounds. " + result.machine() + ", " + result.at());
  }

  private static double stored(Round round) {
    return round.storedBytes() / MEGABYTE;
  }

  private static Bar floor(String label, SnapshotResult result, ToDoubleFunction<Floor> figure) {
    List<Double> rounds = result.floors().stream().map(it -> figure.applyAsDouble(it)).toList();
    return new Bar(label, figure.applyAsDouble(result.floor()), rounds, FLOOR);
  }

  private static List<Bar> bars(SnapshotResult result, ToDoubleFunction<Round> figure) {
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
