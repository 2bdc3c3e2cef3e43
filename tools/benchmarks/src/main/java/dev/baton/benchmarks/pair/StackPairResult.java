/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.pair;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.measure.MedianCalculator;
import dev.baton.benchmarks.report.ReportFormatter;
import dev.baton.benchmarks.steps.StepsRoundResult;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The figures of two stacks that did the same steps by turns.
 *
 * @param at when they were measured
 * @param machine processors, memory and kernel in one line
 * @param first its turns, one for each round; {@code second} likewise
 */
public record StackPairResult(Instant at, String machine, Side first, Side second) {
  /** One stack. */
  public record Side(String name, List<StepsRoundResult> turns) {
    public Side {
      turns = List.copyOf(turns);
    }
  }

  /**
   * Returns how many times as much the second stack costs: the median of the rounds, each of which
   * compares two neighbouring turns, so that a slower minute of the machine hits both.
   */
  public double cost(PairFigure figure) {
    List<Double> costs =
        IntStream.range(0, first.turns().size())
            .mapToObj(
                round ->
                    figure.cost(
                        figure.of(first.turns().get(round)), figure.of(second.turns().get(round))))
            .toList();
    return MedianCalculator.of(costs);
  }

  /** Returns the figures by which the second stack costs more than this many times as much. */
  public List<PairFigure> above(double most) {
    return Arrays.stream(PairFigure.values())
        .filter(figure -> figure.isLimited() && cost(figure) > most)
        .toList();
  }

  /** Returns a page with the figures and with the processor time of each component. */
  public String table(String title) {
    StringBuilder page = new StringBuilder("# ").append(title).append("\n\n");
    page.append(at).append(", ").append(machine).append(".\n");
    page.append(
        ReportFormatter.line(
            "Medians over %d rounds, by turns; cost is the median of the rounds, above 1 where %s costs"
                + " more.%n%n",
            first.turns().size(), second.name()));
    page.append(
        ReportFormatter.line(
            "| | %s | %s | cost |%n|---|--:|--:|--:|%n", first.name(), second.name()));
    for (PairFigure figure : PairFigure.values()) {
      page.append(
          ReportFormatter.line(
              "| %s | %s | %s | %.2f |%n",
              figure.label(),
              figure.show(MedianCalculator.of(first.turns(), figure::of)),
              figure.show(MedianCalculator.of(second.turns(), figure::of)),
              cost(figure)));
    }
    page.append(
        ReportFormatter.line(
            "%n| processor time per step in a burst, last round | %s | %s |%n|---|--:|--:|%n",
            first.name(), second.name()));
    Map<String, Double> before = first.turns().getLast().burstCpuUs();
    Map<String, Double> after = second.turns().getLast().burstCpuUs();
    new TreeMap<>(after)
        .forEach(
            (part, micros) ->
                page.append(
                    ReportFormatter.line(
                        "| %s | %.0f µs | %.0f µs |%n",
                        part, before.getOrDefault(part, 0.0), micros)));
    return page.toString();
  }

  /** Returns one line: {@code {"at":…,"machine":…,"costs":{…},"turns":{NAME:[…],NAME:[…]}}}. */
  public String json() {
    ObjectNode all =
        Json.mapper().createObjectNode().put("at", at.toString()).put("machine", machine);
    ObjectNode costs = all.putObject("costs");
    for (PairFigure figure : PairFigure.values()) {
      double cost = cost(figure);
      costs.put(figure.name().toLowerCase(Locale.ROOT), Double.isFinite(cost) ? cost : null);
    }
    ObjectNode turns = all.putObject("turns");
    for (Side side : List.of(first, second)) {
      turns.set(side.name(), Json.mapper().valueToTree(side.turns()));
    }
    return all.toString();
  }
}
