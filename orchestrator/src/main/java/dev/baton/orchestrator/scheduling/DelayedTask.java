/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.scheduling;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs an action once after a delay. */
public final class DelayedTask {
  private DelayedTask() {}

  /**
   * Runs the action on a virtual thread, which is started after the delay; until then only a timer
   * exists. It cannot be cancelled: the action must check whether it is still needed.
   */
  public static void run(String name, Duration delay, Runnable action) {
    CompletableFuture.delayedExecutor(
            delay.toMillis(),
            TimeUnit.MILLISECONDS,
            task -> Thread.ofVirtual().name(name).start(task))
        .execute(action);
  }
}
