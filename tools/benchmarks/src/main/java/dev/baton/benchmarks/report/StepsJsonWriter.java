/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.steps.StepsResult;
import dev.baton.benchmarks.steps.StepsResult.SystemResult;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;

/** Writes the figures as JSON. */
public final class StepsJsonWriter {
  private StepsJsonWriter() {}

  /**
   * Returns the medians in one line, one object per system; null for a system that was not
   * measured.
   */
  public static String brief(StepsResult result) {
    ObjectNode json = Json.mapper().createObjectNode();
    put(json, "baton", result.baton());
    put(json, "restate", result.restate());
    return json.toString();
  }

  /** Returns all figures, indented. */
  public static String whole(StepsResult result) {
    ObjectNode json = Json.mapper().valueToTree(result);
    if (result.restate() == null) {
      json.putNull("restate");
    }
    return ReportFormatter.whole(json);
  }

  private static void put(ObjectNode json, String system, @Nullable SystemResult measured) {
    if (measured == null) {
      json.putNull(system);
      return;
    }
    json.putObject(system)
        .put("p50_ms", rounded(measured.median().p50Ms()))
        .put("p99_ms", rounded(measured.median().p99Ms()))
        .put("steps_per_s", Math.round(measured.median().stepsPerS()))
        .put("run_p50_ms", rounded(measured.median().runP50Ms()))
        .put("run_p99_ms", rounded(measured.median().runP99Ms()));
    double rss = measured.median().rssMb();
    // The processes of a given server may be on another machine.
    ((ObjectNode) json.get(system)).put("rss_mb", rss == 0 ? null : Math.round(rss));
  }

  private static double rounded(double millis) {
    return Math.round(millis * 1000) / 1000.0;
  }
}
