/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.measure.MedianCalculator;
import dev.baton.benchmarks.measure.ResourceUsage;
import dev.baton.benchmarks.report.ReportFormatter;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * All figures of one measurement.
 *
 * @param at when it was done
 * @param machine processors, memory and kernel in one line
 * @param runs of a burst
 * @param steps of each run
 * @param parallel how many processes xargs started at a time
 * @param shared whether all runs were on one shared runner
 * @param retries whether each step failed once and was retried, which is two processes
 * @param command the words of a runner for a step
 */
public record ShellsResult(
    Instant at,
    String machine,
    int runs,
    int steps,
    int parallel,
    boolean shared,
    boolean retries,
    List<String> command,
    List<ShellsRoundResult> rounds) {
  /** How many times as much as the processes themselves the steps may cost. */
  private static final double GOAL = 1.5;

  public ShellsResult {
    command = List.copyOf(command);
    rounds = List.copyOf(rounds);
  }

  /** Returns a page with the medians, the ratios, and the processor time of each part. */
  public String table() {
    StringBuilder page = new StringBuilder("# Shells\n\n");
    page.append(at).append(", ").append(machine).append(".\n");
    page.append(
        ReportFormatter.line(
            "%,d runs of %d shell steps%s, submitted at once, on %s, and xargs with %,d processes, %d"
                + " at a time. Medians over %d rounds, by turns.%n%n",
            runs,
            steps,
            retries ? " that fail once" : "",
            shared ? "one shared runner" : "a runner for each",
            runs * steps * (retries ? 2 : 1),
            parallel,
            rounds.size()));
    page.append("| | wall | processors | per step | steps/s |\n|---|--:|--:|--:|--:|\n");
    row(page, "Baton", ShellsRoundResult::wallS, ShellsRoundResult::cpuS);
    row(page, "xargs, as a runner starts a step", ShellsRoundResult::asRunner);
    row(page, "xargs, the script by itself", ShellsRoundResult::plain);
    page.append(
        ReportFormatter.line(
            "%n| ratio of Baton to xargs | wall | processors | goal |%n|---|--:|--:|--:|%n"));
    page.append(
        ReportFormatter.line(
            "| as a runner starts a step | %.2f | %.2f | at most %.1f |%n",
            median(ShellsRoundResult::wallRatio), median(ShellsRoundResult::cpuRatio), GOAL));
    page.append(
        ReportFormatter.line(
            "| the script by itself | %.2f | %.2f | |%n",
            median(ShellsRoundResult::plainWallRatio), median(ShellsRoundResult::plainCpuRatio)));
    page.append(
        ReportFormatter.line(
            "%n| processor time of Baton, last round | seconds | per step |%n|---|--:|--:|%n"));
    ShellsRoundResult last = rounds.getLast();
    for (String part : new TreeSet<>(last.cpuByPart().keySet())) {
      double seconds = Objects.requireNonNull(last.cpuByPart().get(part));
      page.append(
          ReportFormatter.line(
              "| %s | %.2f s | %,.0f µs |%n", part, seconds, seconds * 1e6 / (runs * steps)));
    }
    page.append("\nA runner starts for a step: `").append(String.join(" ", command)).append("`.\n");
    return page.toString();
  }

  /**
   * Returns one line: {@code {"at":…,"machine":…,"runs":…,"steps":…,"baton":{"wall_s":…,"cpu_s":…,
   * "steps_per_s":…},"xargs":{…},"xargs_plain":{…},"wall_ratio":…,"cpu_ratio":…,"rounds":[…]}}.
   */
  public String json() {
    ObjectNode all =
        Json.mapper()
            .createObjectNode()
            .put("at", at.toString())
            .put("machine", machine)
            .put("runs", runs)
            .put("steps", steps)
            .put("parallel", parallel)
            .put("shared", shared)
            .put("retries", retries);
    figures(
        all.putObject("baton"), median(ShellsRoundResult::wallS), median(ShellsRoundResult::cpuS));
    figures(
        all.putObject("xargs"),
        median(round -> round.asRunner().wallS()),
        median(round -> round.asRunner().cpuS()));
    figures(
        all.putObject("xargs_plain"),
        median(round -> round.plain().wallS()),
        median(round -> round.plain().cpuS()));
    all.put("wall_ratio", median(ShellsRoundResult::wallRatio))
        .put("cpu_ratio", median(ShellsRoundResult::cpuRatio))
        .put("plain_wall_ratio", median(ShellsRoundResult::plainWallRatio))
        .put("plain_cpu_ratio", median(ShellsRoundResult::plainCpuRatio));
    ArrayNode each = all.putArray("rounds");
    rounds.forEach(round -> each.add(Json.mapper().<ObjectNode>valueToTree(round)));
    return all.toString();
  }

  private void figures(ObjectNode json, double wallS, double cpuS) {
    json.put("wall_s", wallS).put("cpu_s", cpuS).put("steps_per_s", runs * steps / wallS);
  }

  private void row(
      StringBuilder page, String name, Function<ShellsRoundResult, ResourceUsage> usage) {
    row(page, name, round -> usage.apply(round).wallS(), round -> usage.apply(round).cpuS());
  }

  private void row(
      StringBuilder page,
      String name,
      ToDoubleFunction<ShellsRoundResult> wall,
      ToDoubleFunction<ShellsRoundResult> cpu) {
    double seconds = median(wall);
    page.append(
        ReportFormatter.line(
            "| %s | %.2f s | %.2f s | %,.0f µs | %,.0f |%n",
            name,
            seconds,
            median(cpu),
            median(cpu) * 1e6 / (runs * steps),
            runs * steps / seconds));
  }

  private double median(ToDoubleFunction<ShellsRoundResult> figure) {
    return MedianCalculator.of(rounds, figure);
  }
}
