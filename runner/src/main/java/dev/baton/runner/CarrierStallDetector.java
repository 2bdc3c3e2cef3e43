/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;

/**
 * Detects that virtual threads get no carrier although the carriers do nothing: all of them belong
 * to virtual threads that wait and cannot leave them, such as for the initialization of a class.
 * Carriers that compute are busy, and not stalled. For one thread.
 */
final class CarrierStallDetector {
  private static final Logger LOG = Logger.getLogger(CarrierStallDetector.class);
  private static final Path TASKS = Path.of("/proc/self/task");

  /** The kernel keeps fifteen characters of the names {@code ForkJoinPool-1-worker-N}. */
  private static final String CARRIER = "ForkJoinPool-1-";

  /** Positions after the name's closing bracket. */
  private static final int USER_TICKS = 11;

  private static final int SYSTEM_TICKS = 12;
  private static final long UNKNOWN = -1;

  private final AtomicLong answered = new AtomicLong();
  private long asked;
  private long ticks = UNKNOWN;

  /**
   * Returns whether no virtual thread has started, and no carrier has used processor time, since
   * the last call. Always false where the system does not report the time of threads.
   */
  boolean isStalled() {
    if (answered.get() == asked) {
      long number = ++asked;
      Thread.ofVirtual().name("carrier-probe").start(() -> answered.set(number));
      return false;
    }
    long now = carrierTicks();
    boolean idle = now == ticks && now != UNKNOWN;
    ticks = now;
    return idle;
  }

  /** Returns the processor time of all carriers in ticks. */
  private static long carrierTicks() {
    if (!Files.isDirectory(TASKS)) {
      return UNKNOWN;
    }
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        sum += ticks(task.resolve("stat"));
      }
    } catch (IOException e) {
      LOG.debugf("%s: %s", TASKS, e);
      return UNKNOWN;
    }
    return sum;
  }

  private static long ticks(Path file) throws IOException {
    String stat;
    try {
      stat = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException ended) {
      return 0;
    }
    int name = stat.indexOf('(') + 1;
    if (!stat.startsWith(CARRIER, name)) {
      return 0;
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
  }
}
