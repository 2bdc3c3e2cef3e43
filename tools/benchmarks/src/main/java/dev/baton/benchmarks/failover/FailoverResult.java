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

/** The measurements, in the order in which they were taken. */
public record FailoverResult(Instant at, String machine, long seed, List<Row> rows) {
  /**
   * @param times from the signal until the next step's start was read from the log; for a planned
   *     handover, from the last completed step
   */
  public record Row(FailoverScenario scenario, DurationDistribution times) {
    /** Formats a row of the table. */
    String line() {
      return String.format(
          Locale.ROOT,
          "| %s: %s | %d | %,.0f ms | %,.0f ms | %,.0f ms | %s |",
          scenario.label(),
          scenario.text(),
          times.count(),
          times.millis(50),
          times.millis(99),
          times.millis(100),
          scenario.goal().isZero()
              ? "all resume"
              : String.format(Locale.ROOT, "%,d ms", scenario.goal().toMillis()));
    }
  }

  public FailoverResult {
    rows = List.copyOf(rows);
  }

  /** One line: {@code {"warm":{"median_ms":…,"p99_ms":…,"max_ms":…,"samples":…},"cold":…}}. */
  public String json() {
    ObjectNode json = Json.mapper().createObjectNode();
    for (Row row : rows) {
      json.putObject(row.scenario().label())
          .put("median_ms", row.times().millis(50))
          .put("p99_ms", row.times().millis(99))
          .put("max_ms", row.times().millis(100))
          .put("samples", row.times().count());
    }
    json.put("at", at.toString()).put("machine", machine).put("seed", seed);
    return json.toString();
  }

  /** A page with the table. */
  public String table() {
    StringBuilder page = new StringBuilder("# Failover\n\n");
    page.append(at).append(", ").append(machine).append(", seed ").append(seed).append(".\n");
    page.append(
        "From the signal until the next step's start was read from the log; planned: from the last completed step.\n\n");
    page.append("| | samples | median | p99 | max | goal, median |\n|---|--:|--:|--:|--:|--:|\n");
    for (Row row : rows) {
      page.append(row.line()).append("\n");
    }
    return page.toString();
  }
}
