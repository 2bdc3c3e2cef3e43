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
import java.util.HashMap;
import java.util.Map;

/**
 * Reads memory and CPU time of processes from {@code /proc}; returns nothing on systems without it.
 */
public final class ProcfsUsageReader {
  private static final Path PROC = Path.of("/proc");
  // Linux reports CPU time to programs in hundredths of a second, independent of its own clock.
  static final long MICROS_PER_TICK = 10_000;
  // Fields 14 and 15 of /proc/PID/stat, counted from the field after the closing bracket.
  private static final int USER_TIME = 11;
  private static final int SYSTEM_TIME = 12;
  private static final int KIBIBYTE = 1024;

  private ProcfsUsageReader() {}

  /**
   * Sums up by part. A process that has ended meanwhile counts as zero.
   *
   * @param parts the part of each process, by process id
   */
  public static ProcessFootprint of(Map<Long, String> parts) {
    Map<String, Long> rss = new HashMap<>();
    Map<String, Long> pss = new HashMap<>();
    Map<String, Long> cpu = new HashMap<>();
    parts.forEach(
        (pid, part) -> {
          try {
            Path folder = PROC.resolve(Long.toString(pid));
            String memory = Files.readString(folder.resolve("smaps_rollup"));
            String[] stat = fields(Files.readString(folder.resolve("stat")));
            rss.merge(part, bytes(memory, "Rss:"), Long::sum);
            pss.merge(part, bytes(memory, "Pss:"), Long::sum);
            long ticks = Long.parseLong(stat[USER_TIME]) + Long.parseLong(stat[SYSTEM_TIME]);
            cpu.merge(part, ticks * MICROS_PER_TICK, Long::sum);
          } catch (IOException e) {
            // Postgres ends idle helpers by itself: an ended process has no memory.
            cpu.merge(part, 0L, Long::sum);
          }
        });
    return new ProcessFootprint(rss, pss, cpu);
  }

  /** Returns the fields of {@code /proc/PID/stat} from the one after the closing bracket. */
  static String[] fields(String stat) {
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
  }

  /**
   * Returns the value in kB of a line of a file in {@code /proc/PID}; 0 when the line is missing.
   */
  static long bytes(String text, String label) {
    return text.lines()
        .filter(line -> line.startsWith(label))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIBIBYTE)
        .findFirst()
        .orElse(0);
  }
}
