/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.util.Map;
import java.util.TreeMap;

/**
 * Memory and CPU time of a system's processes.
 *
 * @param rssBytes resident memory by part; shared pages count in each process
 * @param pssBytes the same with shared pages divided among the processes that share them
 * @param cpuMicros CPU time used since each process was started
 */
public record ProcessFootprint(
    Map<String, Long> rssBytes, Map<String, Long> pssBytes, Map<String, Long> cpuMicros) {
  private static final double MEGABYTE = 1024.0 * 1024;

  public ProcessFootprint {
    rssBytes = Map.copyOf(rssBytes);
    pssBytes = Map.copyOf(pssBytes);
    cpuMicros = Map.copyOf(cpuMicros);
  }

  public double rssMegabytes() {
    return sum(rssBytes) / MEGABYTE;
  }

  public double pssMegabytes() {
    return sum(pssBytes) / MEGABYTE;
  }

  /**
   * Returns each part's CPU time since {@code earlier}, in microseconds for each of {@code units}.
   */
  public Map<String, Double> cpuSince(ProcessFootprint earlier, long units) {
    Map<String, Double> used = new TreeMap<>();
    cpuMicros.forEach(
        (part, micros) ->
            used.put(part, (micros - earlier.cpuMicros.getOrDefault(part, 0L)) / (double) units));
    return used;
  }

  /** Returns the CPU time of all parts since {@code earlier}, in microseconds. */
  public long cpuMicrosSince(ProcessFootprint earlier) {
    return sum(cpuMicros) - sum(earlier.cpuMicros);
  }

  private static long sum(Map<String, Long> byPart) {
    return byPart.values().stream().mapToLong(Long::longValue).sum();
  }
}
