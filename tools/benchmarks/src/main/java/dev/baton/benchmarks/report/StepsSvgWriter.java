/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import dev.baton.benchmarks.report.BarChartPanel.Bar;
import dev.baton.benchmarks.steps.StepsResult;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.benchmarks.steps.StepsRoundResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Writes the figures as an SVG chart: bars are medians, dots are rounds. */
public final class StepsSvgWriter {
  private static final String BATON = "#2f6db5";
  private static final String RESTATE = "#b58a2f";
  private static final String FLOOR = "#9a9a9a";

  private StepsSvgWriter() {}

  public static String of(StepsResult result) {
    List<BarChartPanel> panels =
        List.of(
            new BarChartPanel("One run of 200 steps: from step to step", "ms", stepBars(result)),
            new BarChartPanel(
                "200 runs of 10 steps at once: steps per second",
                "steps/s",
                bars(
                    result,
                    "",
                    measured -> measured.median().stepsPerS(),
                    StepsRoundResult::stepsPerS)),
            new BarChartPanel(
                "200 runs of 10 steps at once: from submit to end of a run",
                "ms",
                both(
                    bars(result, " p50", m -> m.median().runP50Ms(), StepsRoundResult::runP50Ms),
                    bars(result, " p99", m -> m.median().runP99Ms(), StepsRoundResult::runP99Ms))));
    return SvgChartWriter.of(
        panels, "Bars: medians; dots: rounds. " + result.machine() + ", " + result.at());
  }

  private static List<Bar> stepBars(StepsResult result) {
    List<Bar> bars = new ArrayList<>();
    var floor = result.floor();
    if (floor != null) {
      bars.add(new Bar("flushed append p50", floor.p50Ms(), List.of(), FLOOR));
    }
    bars.addAll(bars(result, " p50", m -> m.median().p50Ms(), StepsRoundResult::p50Ms));
    if (floor != null) {
      bars.add(new Bar("flushed append p99", floor.p99Ms(), List.of(), FLOOR));
    }
    bars.addAll(bars(result, " p99", m -> m.median().p99Ms(), StepsRoundResult::p99Ms));
    return bars;
  }

  private static List<Bar> bars(
      StepsResult result,
      String suffix,
      ToDoubleFunction<SystemResult> median,
      ToDoubleFunction<StepsRoundResult> figure) {
    List<Bar> bars = new ArrayList<>();
    bars.add(bar("Baton" + suffix, result.baton(), median, figure, BATON));
    @Nullable SystemResult restate = result.restate();
    if (restate != null) {
      bars.add(bar("Restate" + suffix, restate, median, figure, RESTATE));
    }
    return bars;
  }

  private static Bar bar(
      String label,
      SystemResult measured,
      ToDoubleFunction<SystemResult> median,
      ToDoubleFunction<StepsRoundResult> figure,
      String colour) {
    List<Double> rounds =
        measured.turns().stream().map(turn -> figure.applyAsDouble(turn)).toList();
    return new Bar(label, median.applyAsDouble(measured), rounds, colour);
  }

  private static List<Bar> both(List<Bar> first, List<Bar> second) {
    List<Bar> bars = new ArrayList<>(first);
    bars.addAll(second);
    return bars;
  }
}
