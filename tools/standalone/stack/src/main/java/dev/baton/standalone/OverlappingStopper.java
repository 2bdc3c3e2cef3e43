/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.process.ManagedProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Stops services that record themselves, one after the other, without waiting for their caches: a
 * service that has closed its port no longer uses the servers, but its JVM then assembles its cache
 * for many seconds, on one core. Used by one thread.
 */
final class OverlappingStopper {
  private static final Duration PORT_CLOSED_WITHIN = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofMillis(50);

  private final List<FutureTask<Void>> stopping = new ArrayList<>();

  /** Stops the process permanently; returns once its port is closed, or after 20 s. */
  void retire(ManagedProcess process, int port) throws InterruptedException {
    FutureTask<Void> stop =
        new FutureTask<>(
            () -> {
              process.retire();
              return null;
            });
    stopping.add(stop);
    Thread thread = Thread.ofVirtual().start(stop);
    long end = System.nanoTime() + PORT_CLOSED_WITHIN.toNanos();
    while (!stop.isDone() && !PortAllocator.isFree(port) && System.nanoTime() < end) {
      thread.join(POLL);
    }
  }

  /**
   * Waits until all have stopped, each for at most the time that its process has for it.
   *
   * @throws IOException the first failure, with the others attached as suppressed
   */
  void await() throws IOException, InterruptedException {
    IOException failure = null;
    for (FutureTask<Void> stop : stopping) {
      try {
        stop.get();
      } catch (ExecutionException e) {
        IOException next =
            e.getCause() instanceof IOException io
                ? io
                : new IOException("a process did not stop: " + e.getCause(), e);
        if (failure == null) {
          failure = next;
        } else {
          failure.addSuppressed(next);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
