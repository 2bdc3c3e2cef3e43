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
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Polls the memory of a process and its descendants every few milliseconds, from construction until
 * closed. Each poll reads the peaks kept by the kernel, so only allocations of a process's last
 * milliseconds are missed.
 */
final class PeakMemoryWatcher implements AutoCloseable {
  private static final Path PROC = Path.of("/proc");
  private static final long PAUSE_MS = 20;

  private final Thread watcher;
  private volatile boolean over;
  private volatile long most;

  PeakMemoryWatcher(long pid) {
    watcher = Thread.ofPlatform().daemon().name("peak-memory").start(() -> watch(pid));
  }

  /** The largest sum so far, in bytes. */
  long bytes() {
    return most;
  }

  @Override
  public void close() {
    over = true;
    watcher.interrupt();
  }

  private void watch(long root) {
    try {
      while (!over) {
        most = Math.max(most, look(root));
        Thread.sleep(PAUSE_MS);
      }
    } catch (InterruptedException e) {
      // Closed.
      Thread.currentThread().interrupt();
    }
  }

  private static long look(long root) {
    long sum = 0;
    Deque<Long> open = new ArrayDeque<>();
    open.add(root);
    while (!open.isEmpty()) {
      long pid = open.remove();
      try {
        sum += peak(pid);
        String children =
            Files.readString(PROC.resolve(pid + "/task/" + pid + "/children")).strip();
        for (String child : children.isEmpty() ? new String[0] : children.split(" ")) {
          open.add(Long.parseLong(child));
        }
      } catch (IOException e) {
        // It has ended since its parent was read.
        continue;
      }
    }
    return sum;
  }

  /** Returns a process's peak resident memory as recorded by the kernel, in bytes. */
  static long peak(long pid) throws IOException {
    return ProcfsUsageReader.bytes(Files.readString(PROC.resolve(pid + "/status")), "VmHWM:");
  }
}
