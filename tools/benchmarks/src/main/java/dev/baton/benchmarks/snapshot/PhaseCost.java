/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.ResourceUsage;

/**
 * Cost of one phase of a tool.
 *
 * @param wallS seconds until the tool reported completion
 * @param clientCpuS CPU time of the program that reads or writes the tree
 * @param serverCpuS CPU time of all servers that store the data; 0 when it stores into files
 * @param peakRssBytes peak resident memory of that program, without servers
 */
public record PhaseCost(double wallS, double clientCpuS, double serverCpuS, long peakRssBytes) {

  public static PhaseCost of(ResourceUsage usage) {
    return new PhaseCost(usage.wallS(), usage.cpuS(), 0, usage.peakRssBytes());
  }

  public double cpuS() {
    return clientCpuS + serverCpuS;
  }
}
