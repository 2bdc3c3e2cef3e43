/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.runner.heartbeat.HeartbeatPublisher;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Ends a process whose threads hang. Its shutdown is omitted, since it may need what hangs; its
 * runs continue on other runners.
 */
final class RunnerHalter {
  private static final Logger LOG = Logger.getLogger(RunnerHalter.class);

  /** Logging may need what hangs, too. */
  private static final Duration LOG_PATIENCE = Duration.ofSeconds(2);

  private RunnerHalter() {}

  /**
   * @param what names what hangs
   */
  static void halt(String what) {
    Thread log = Thread.ofPlatform().daemon().name("last-log").start(() -> log(what));
    try {
      log.join(LOG_PATIENCE);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(RunnerExitCode.INTERNAL.code());
  }

  private static void log(String what) {
    String stack =
        Thread.getAllStackTraces().entrySet().stream()
            .filter(thread -> thread.getKey().getName().equals(HeartbeatPublisher.THREAD))
            .map(Map.Entry::getValue)
            .flatMap(Arrays::stream)
            .map(frame -> "\n  at " + frame)
            .collect(Collectors.joining());
    LOG.fatalf("runner: no progress of %s; exiting, the heartbeat thread is at%s", what, stack);
  }
}
