/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import java.util.Map;

/**
 * Figures after a tenth of the steps. Keys of maps are parts of the stack.
 *
 * @param steps of all bursts so far
 * @param seconds since the first burst
 * @param stepsPerS the median of the bursts of this tenth
 * @param p50Ms of a step in single runs after the bursts
 * @param p99Ms the same
 * @param floor the limits of the broker at the same time
 * @param rss resident memory in bytes; shared pages count in each process
 * @param pss the same with shared pages divided among the processes that share them
 * @param heap live objects of Java processes after a garbage collection, in bytes
 * @param disk bytes of files
 */
record SoakSample(
    long steps,
    double seconds,
    double stepsPerS,
    double p50Ms,
    double p99Ms,
    Floor floor,
    Map<String, Long> rss,
    Map<String, Long> pss,
    Map<String, Long> heap,
    Map<String, Long> disk) {

  SoakSample {
    rss = Map.copyOf(rss);
    pss = Map.copyOf(pss);
    heap = Map.copyOf(heap);
    disk = Map.copyOf(disk);
  }
}
