/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs transfers so that an interrupt ends them: the JDK closes the socket that an interrupted
 * virtual thread waits for, but continues to wait on any other thread.
 */
final class InterruptibleExecutor {
  private InterruptibleExecutor() {}

  /**
   * Returns the call's result, as if it ran on this thread.
   *
   * @throws InterruptedException when the caller is interrupted; the call is interrupted, too, and
   *     ends soon
   */
  static <T> T call(StoreCallRetrier.Call<T> call) throws StoreException, InterruptedException {
    if (Thread.currentThread().isVirtual()) {
      return call.run();
    }
    FutureTask<T> task = new FutureTask<>(call::run);
    Thread.ofVirtual().name("transfer").start(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      task.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case StoreException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException("unexpected kind of failure", e);
      }
    }
  }
}
