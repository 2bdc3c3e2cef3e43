/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Measures the resource usage of one running process from a start to a stop. */
public final class ProcessUsageMeter {
  // Written to reset the kernel's record of a process's peak resident memory: proc(5), clear_refs.
  private static final String FORGET_PEAK = "5";

  private final long pid;
  private final long cpuMicros;
  private final long nanos;

  private ProcessUsageMeter(long pid, long cpuMicros) {
    this.pid = pid;
    this.cpuMicros = cpuMicros;
    this.nanos = System.nanoTime();
  }

  public static ProcessUsageMeter start(long pid) throws IOException {
    Files.writeString(Path.of("/proc/" + pid + "/clear_refs"), FORGET_PEAK);
    return new ProcessUsageMeter(pid, cpuMicros(pid));
  }

  public ResourceUsage stop() throws IOException {
    double wall = (System.nanoTime() - nanos) / 1e9;
    return new ResourceUsage(wall, (cpuMicros(pid) - cpuMicros) / 1e6, PeakMemoryWatcher.peak(pid));
  }

  private static long cpuMicros(long pid) {
    return ProcfsUsageReader.of(Map.of(pid, "it")).cpuMicros().getOrDefault("it", 0L);
  }
}
