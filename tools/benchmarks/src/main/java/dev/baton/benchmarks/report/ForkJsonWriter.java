/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.fork.ForkResult;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.json.Json;

/** Writes the figures as JSON. */
public final class ForkJsonWriter {
  private ForkJsonWriter() {}

  /**
   * Returns one line: {@code {"machine":…,"samples":…,"parents":[{"steps":…,"megabytes":…,…}]}}.
   */
  public static String of(ForkResult result) {
    ObjectNode json = Json.mapper().createObjectNode();
    json.put("at", result.at().toString())
        .put("machine", result.machine())
        .put("samples", result.samples());
    ArrayNode parents = json.putArray("parents");
    for (ForkResult.Row row : result.rows()) {
      ObjectNode one =
          parents
              .addObject()
              .put("steps", row.parent().steps())
              .put("megabytes", row.parent().megabytes())
              .put("stored_bytes", row.storedBytes());
      put(one, "answered", row.answered());
      put(one, "completed", row.completed());
    }
    return json.toString();
  }

  private static void put(ObjectNode row, String what, DurationDistribution times) {
    row.put(what + "_p50_ms", times.millis(50)).put(what + "_max_ms", times.millis(100));
  }
}
