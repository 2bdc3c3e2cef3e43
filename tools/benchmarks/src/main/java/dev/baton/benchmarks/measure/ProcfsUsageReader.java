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
  // Fields 14 to 17 of /proc/PID/stat, counted from the field after the closing bracket.
  private static final int USER_TIME = 11;
  private static final int SYSTEM_TIME = 12;
  static final int ENDED_USER_TIME = 13;
  static final int ENDED_SYSTEM_TIME = 14;
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
            cpu.merge(part, micros(stat, USER_TIME, SYSTEM_TIME), Long::sum);
          } catch (IOException e) {
            // Postgres ends idle helpers by itself: an ended process has no memory.
            cpu.merge(part, 0L, Long::sum);
          }
        });
    return new ProcessFootprint(rss, pss, cpu);
  }

  /**
   * Returns the CPU time of each part in microseconds, including that of ended child processes. A
   * child that ends moves its own time, and that of its children, to its parent, so the sum over a
   * tree of processes never falls.
   *
   * @param parts the part of each process, by process id
   * @param endedParts the part to which the ended children of a part's processes count; by default
   *     the part itself
   */
  public static Map<String, Long> cpuMicrosWithEnded(
      Map<Long, String> parts, Map<String, String> endedParts) {
    Map<String, Long> cpu = new HashMap<>();
    parts.forEach(
        (pid, part) -> {
          try {
            String[] stat = fields(Files.readString(PROC.resolve(pid + "/stat")));
            cpu.merge(part, micros(stat, USER_TIME, SYSTEM_TIME), Long::sum);
            cpu.merge(
                endedParts.getOrDefault(part, part),
                micros(stat, ENDED_USER_TIME, ENDED_SYSTEM_TIME),
                Long::sum);
          } catch (IOException e) {
            // It has ended since the list was read: its parent has its time.
            cpu.merge(part, 0L, Long::sum);
          }
        });
    return cpu;
  }

  /** Returns the sum of two fields that count ticks, in microseconds. */
  static long micros(String[] stat, int user, int system) {
    return (Long.parseLong(stat[user]) + Long.parseLong(stat[system])) * MICROS_PER_TICK;
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
