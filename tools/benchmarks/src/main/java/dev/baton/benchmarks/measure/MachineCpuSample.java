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
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Measures the machine's CPU usage by other processes during a measurement: figures from a busy
 * machine are not reliable.
 *
 * @param nanos when this was read
 * @param busyMicros CPU time of the whole machine so far; null when unknown
 * @param ownMicros of this process
 */
public record MachineCpuSample(long nanos, @Nullable Long busyMicros, long ownMicros) {
  private static final Path STAT = Path.of("/proc/stat");
  // If others used more than this share of the machine, the figures are not reliable.
  private static final double QUIET = 0.1;
  // Fields of the first line: user, nice, system, idle, iowait, irq, softirq, steal.
  private static final int[] BUSY = {1, 2, 3, 6, 7, 8};

  public static MachineCpuSample now() throws IOException {
    Optional<Duration> own = ProcessHandle.current().info().totalCpuDuration();
    return new MachineCpuSample(
        System.nanoTime(), busy(), own.orElse(Duration.ZERO).toNanos() / 1_000);
  }

  /**
   * Returns the share of the machine's CPU time used neither by the system nor by this process
   * since {@code start}, from 0 to 1.
   *
   * @param systemMicros CPU time of the system since then
   */
  public OptionalDouble elsewhere(MachineCpuSample start, long systemMicros) {
    if (busyMicros == null || start.busyMicros == null) {
      return OptionalDouble.empty();
    }
    double all = (nanos - start.nanos) / 1e3 * Runtime.getRuntime().availableProcessors();
    double others =
        busyMicros - start.busyMicros - systemMicros - (double) (ownMicros - start.ownMicros);
    return OptionalDouble.of(Math.clamp(others / all, 0, 1));
  }

  /**
   * Returns a warning about figures when others had this share of the machine during the
   * measurement; empty when it was small.
   */
  public static Optional<String> remark(double elsewhere) {
    return elsewhere > QUIET
        ? Optional.of("  the machine was busy with other processes: these figures are not reliable")
        : Optional.empty();
  }

  private static @Nullable Long busy() throws IOException {
    if (!Files.isReadable(STAT)) {
      return null;
    }
    String[] fields = Files.readAllLines(STAT).getFirst().split(" +", -1);
    return Arrays.stream(BUSY).mapToLong(field -> Long.parseLong(fields[field])).sum()
        * ProcfsUsageReader.MICROS_PER_TICK;
  }
}
