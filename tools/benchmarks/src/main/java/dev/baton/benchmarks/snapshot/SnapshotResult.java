/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.MedianCalculator;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * All figures of one measurement.
 *
 * @param at when it was done
 * @param machine processors, memory and kernel in one line
 * @param tree short description
 * @param content of the tree before its first change
 * @param percentFiles number of files in the one-percent change
 * @param floors of each round
 * @param tools by name, in the order of the report
 */
public record SnapshotResult(
    Instant at,
    String machine,
    String tree,
    DiskUsage content,
    int percentFiles,
    List<FileIoFloor> floors,
    Map<String, ToolResult> tools) {

  public SnapshotResult {
    floors = List.copyOf(floors);
    tools = Collections.unmodifiableMap(new LinkedHashMap<>(tools));
  }

  public FileIoFloor floor() {
    return FileIoFloor.median(floors);
  }

  /**
   * One tool's figures.
   *
   * @param version as reported by the tool
   * @param differences between the tree that it restored in the first round and the captured one,
   *     as listed by rsync; null when not compared
   */
  public record ToolResult(
      String version, @Nullable List<String> differences, List<SnapshotRoundResult> rounds) {
    public ToolResult {
      differences = differences == null ? null : List.copyOf(differences);
      rounds = List.copyOf(rounds);
    }

    /** Returns the median over the rounds. */
    public double median(ToDoubleFunction<SnapshotRoundResult> figure) {
      return MedianCalculator.of(rounds, figure);
    }
  }
}
