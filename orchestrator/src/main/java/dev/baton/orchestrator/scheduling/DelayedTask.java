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

/** Does something once, after a while. */
public final class DelayedTask {
  private DelayedTask() {}

  /**
   * On a virtual thread, which is started when the time has come: until then it costs a timer. It
   * cannot be called back; it has to look whether it is still wanted.
   */
  public static void run(String name, Duration delay, Runnable action) {
    CompletableFuture.delayedExecutor(
            delay.toMillis(),
            TimeUnit.MILLISECONDS,
            task -> Thread.ofVirtual().name(name).start(task))
        .execute(action);
  }
}
