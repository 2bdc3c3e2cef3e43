/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** The measurements, in the order in which they were taken. */
public record FailoverResult(Instant at, String machine, long seed, List<Row> rows) {
  private static final double GOAL_TO_FLOOR = 1.5;
  private static final double GOAL_TO_RESTATE = 0.5;

  /** The medians of the phases in milliseconds; a phase that was never seen is NaN. */
  public record Phases(double noticed, double assigned, double attached, double resumed) {
    private static Phases of(List<FailoverSample> samples) {
      return new Phases(
          median(samples, FailoverSample::noticed),
          median(samples, FailoverSample::assigned),
          median(samples, FailoverSample::attached),
          median(samples, FailoverSample::resumed));
    }

    private static double median(List<FailoverSample> samples, ToLongFunction<FailoverSample> of) {
      long[] seen = samples.stream().mapToLong(of).filter(micros -> micros >= 0).toArray();
      return seen.length == 0 ? Double.NaN : DurationDistribution.of(seen).millis(50);
    }
  }

  /**
   * @param times from the signal until the next step's start was read from the log; for a planned
   *     handover, from the last completed step
   */
  public record Row(
      FailoverScenario scenario,
      FailoverVersion version,
      DurationDistribution times,
      Phases phases) {
    static Row of(
        FailoverScenario scenario, FailoverVersion version, List<FailoverSample> samples) {
      return new Row(
          scenario,
          version,
          DurationDistribution.of(samples.stream().mapToLong(FailoverSample::whole).toArray()),
          Phases.of(samples));
    }

    /** Formats a row of the table. */
    String line() {
      return String.format(
          Locale.ROOT,
          "| %s: %s%s | %d | %,.0f ms | %,.0f ms | %,.0f ms | %s | %s | %s | %s | %s |",
          scenario.label(),
          scenario.text(),
          version == FailoverVersion.THIS ? "" : " (other version)",
          times.count(),
          times.millis(50),
          times.millis(99),
          times.millis(100),
          phase(phases.noticed()),
          phase(phases.assigned()),
          phase(phases.attached()),
          phase(phases.resumed()),
          goal());
    }

    private String goal() {
      return switch (scenario) {
        case HUNDRED -> "all resume";
        case FLOOR, RESTATE -> "";
        case WARM, COLD, HANG, REPLICA_LOST, PLANNED ->
            String.format(Locale.ROOT, "%,d ms", scenario.goal().toMillis());
      };
    }

    private static String phase(double millis) {
      return Double.isNaN(millis) ? "–" : String.format(Locale.ROOT, "%,.0f ms", millis);
    }
  }

  public FailoverResult {
    rows = List.copyOf(rows);
  }

  /**
   * One line: {@code {"warm":{"median_ms":…,"p99_ms":…,"max_ms":…,"samples":…,"phases_ms":{…}},…}};
   * {@code warm} also has {@code floor_ratio} and {@code restate_ratio} if these were measured;
   * with another version also {@code "other":{…}} and {@code "median_ratio", "p99_ratio"} of this
   * version to it, for each scenario.
   */
  public String json() {
    ObjectNode json = Json.mapper().createObjectNode();
    for (Row row : rows) {
      if (row.version() == FailoverVersion.THIS) {
        ObjectNode one = json.putObject(row.scenario().label());
        figures(one, row);
        if (row.scenario() == FailoverScenario.WARM) {
          reference(FailoverScenario.FLOOR)
              .ifPresent(floor -> one.put("floor_ratio", ratio(row, floor, 50)));
          reference(FailoverScenario.RESTATE)
              .ifPresent(restate -> one.put("restate_ratio", ratio(row, restate, 50)));
        }
        other(row.scenario())
            .ifPresent(
                other -> {
                  one.put("median_ratio", ratio(row, other, 50));
                  one.put("p99_ratio", ratio(row, other, 99));
                  figures(one.putObject("other"), other);
                });
      }
    }
    json.put("at", at.toString()).put("machine", machine).put("seed", seed);
    return json.toString();
  }

  private static void figures(ObjectNode json, Row row) {
    json.put("median_ms", row.times().millis(50))
        .put("p99_ms", row.times().millis(99))
        .put("max_ms", row.times().millis(100))
        .put("samples", row.times().count());
    ObjectNode phases = json.putObject("phases_ms");
    phase(phases, "noticed", row.phases().noticed());
    phase(phases, "assigned", row.phases().assigned());
    phase(phases, "attached", row.phases().attached());
    phase(phases, "resumed", row.phases().resumed());
  }

  private static void phase(ObjectNode json, String name, double millis) {
    if (!Double.isNaN(millis)) {
      json.put(name, millis);
    }
  }

  private Optional<Row> other(FailoverScenario scenario) {
    return rows.stream()
        .filter(row -> row.scenario() == scenario && row.version() == FailoverVersion.OTHER)
        .findFirst();
  }

  private Optional<Row> reference(FailoverScenario scenario) {
    return rows.stream()
        .filter(row -> row.scenario() == scenario && row.version() == FailoverVersion.THIS)
        .findFirst();
  }

  private String comparison(Row warm, FailoverScenario scenario, String name, double goal) {
    return reference(scenario)
        .map(
            other ->
                String.format(
                    Locale.ROOT,
                    "\nwarm, ratio of medians to %s: %.2f (goal: at most %.1f).\n",
                    name,
                    ratio(warm, other, 50),
                    goal))
        .orElse("");
  }

  private static double ratio(Row row, Row other, double percent) {
    return row.times().millis(percent) / other.times().millis(percent);
  }

  /** A page with the table. */
  public String table() {
    StringBuilder page = new StringBuilder("# Failover\n\n");
    page.append(at).append(", ").append(machine).append(", seed ").append(seed).append(".\n");
    page.append(
        "From the signal until the next step's start was read from the log; planned: from the last completed step; floor: from the assignment of the new runner; restate: until the process prints that the step has begun.\n");
    page.append(
        "Medians of the phases: noticed, until the signal that the runner is lost; assigned, until `runner_assigned`; attached, until `runner_started`; resumed, until the step's start.\n\n");
    page.append(
        "| | samples | median | p99 | max | noticed | assigned | attached | resumed | goal, median |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (Row row : rows) {
      page.append(row.line()).append("\n");
    }
    reference(FailoverScenario.WARM)
        .ifPresent(
            warm ->
                page.append(comparison(warm, FailoverScenario.FLOOR, "the floor", GOAL_TO_FLOOR))
                    .append(
                        comparison(warm, FailoverScenario.RESTATE, "Restate", GOAL_TO_RESTATE)));
    for (Row row : rows) {
      if (row.version() == FailoverVersion.THIS) {
        other(row.scenario())
            .ifPresent(
                other ->
                    page.append(
                        String.format(
                            Locale.ROOT,
                            "\n%s, ratio to the other version: median %.2f, p99 %.2f.\n",
                            row.scenario().label(),
                            ratio(row, other, 50),
                            ratio(row, other, 99))));
      }
    }
    return page.toString();
  }
}
