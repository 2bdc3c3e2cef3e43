/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jboss.logging.Logger;

/** Samples CPU and memory of this process, at most once a second. Thread-safe. */
final class ProcessUsageSampler {
  private static final Logger LOG = Logger.getLogger(ProcessUsageSampler.class);
  private static final Path STATM = Path.of("/proc/self/statm");
  private static final long PAGE = 4096;
  private static final long LOOK_EVERY_NANOS = 1_000_000_000L;

  private boolean looked;
  private long lookedAt;
  private Duration cpuThen = Duration.ZERO;
  private double cpu;
  private long memory;

  /** Share of one core since the previous sample. */
  synchronized double cpu() {
    look();
    return cpu;
  }

  /** Resident bytes; 0 where the operating system does not report them. */
  synchronized long memoryBytes() {
    look();
    return memory;
  }

  private void look() {
    long now = System.nanoTime();
    if (looked && now - lookedAt < LOOK_EVERY_NANOS) {
      return;
    }
    Duration used = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    if (looked) {
      double share = (double) used.minus(cpuThen).toNanos() / (now - lookedAt);
      cpu = Math.round(Math.max(0, share) * 1000) / 1000.0;
    }
    cpuThen = used;
    memory = resident();
    lookedAt = now;
    looked = true;
  }

  private static long resident() {
    if (!Files.isReadable(STATM)) {
      return 0;
    }
    try {
      return Long.parseLong(Files.readString(STATM).split(" ", 3)[1]) * PAGE;
    } catch (IOException | NumberFormatException e) {
      LOG.debugf("%s: %s", STATM, e);
      return 0;
    }
  }
}
