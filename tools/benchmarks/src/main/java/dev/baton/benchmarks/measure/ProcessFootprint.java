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
 * What a system's processes hold, and what they have used so far.
 *
 * @param rssBytes resident memory by part; pages that processes share count in each of them
 * @param pssBytes the same with shared pages divided among those who share them
 * @param cpuMicros processor time used since each process was started
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

  /** What each part has used since {@code earlier}, in microseconds for each of {@code units}. */
  public Map<String, Double> cpuSince(ProcessFootprint earlier, long units) {
    Map<String, Double> used = new TreeMap<>();
    cpuMicros.forEach(
        (part, micros) ->
            used.put(part, (micros - earlier.cpuMicros.getOrDefault(part, 0L)) / (double) units));
    return used;
  }

  /** Processor time of all parts since {@code earlier}, in microseconds. */
  public long cpuMicrosSince(ProcessFootprint earlier) {
    return sum(cpuMicros) - sum(earlier.cpuMicros);
  }

  private static long sum(Map<String, Long> byPart) {
    return byPart.values().stream().mapToLong(Long::longValue).sum();
  }
}
