/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.snapshot.FileIoFloor;
import dev.baton.benchmarks.snapshot.SnapshotOptions;
import dev.baton.benchmarks.snapshot.SnapshotPhase;
import dev.baton.benchmarks.snapshot.SnapshotResult;
import dev.baton.benchmarks.snapshot.SnapshotResult.ToolResult;
import dev.baton.benchmarks.snapshot.SnapshotRoundResult;
import dev.baton.protocol.json.Json;

/** Writes the figures as JSON. */
public final class SnapshotJsonWriter {
  private static final double MEGABYTE = 1 << 20;

  private SnapshotJsonWriter() {}

  /**
   * Returns the medians in one line, one object per tool; null for a tool that was not measured.
   */
  public static String brief(SnapshotResult result) {
    ObjectNode json = Json.mapper().createObjectNode();
    ObjectNode tools = json.putObject("tools");
    for (String name : SnapshotOptions.TOOLS) {
      ToolResult tool = result.tools().get(name);
      if (tool == null) {
        tools.putNull(name);
      } else {
        put(tools.putObject(name), tool);
      }
    }
    FileIoFloor floor = result.floor();
    json.putObject("floor")
        .put("stat_s", rounded(floor.statS()))
        .put("read_s", rounded(floor.readS()))
        .put("zstd_s", rounded(floor.zstdS()));
    return json.toString();
  }

  /** Returns all figures, indented. */
  public static String whole(SnapshotResult result) {
    ObjectNode json = Json.mapper().valueToTree(result);
    return ReportFormatter.whole(json);
  }

  private static void put(ObjectNode json, ToolResult tool) {
    for (SnapshotPhase phase : SnapshotPhase.values()) {
      json.put(phase.label() + "_s", rounded(tool.median(round -> round.wallS(phase))));
    }
    json.put("stored_bytes", Math.round(tool.median(SnapshotRoundResult::storedBytes)))
        .put("cpu_s", rounded(tool.median(SnapshotRoundResult::cpuS)))
        .put("peak_rss_mb", Math.round(tool.median(SnapshotRoundResult::peakRssBytes) / MEGABYTE));
  }

  private static double rounded(double seconds) {
    return Math.round(seconds * 1000) / 1000.0;
  }
}
