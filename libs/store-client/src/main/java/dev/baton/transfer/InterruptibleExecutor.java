/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs transfers on virtual threads, where an interrupt closes the socket; platform threads ignore
 * interrupts while they read from or write to a socket.
 */
final class InterruptibleExecutor {
  private InterruptibleExecutor() {}

  /**
   * Returns the transfer's result, as if it ran on this thread.
   *
   * @param transfer throws no other checked exceptions than these
   * @throws InterruptedException when the caller is interrupted; the transfer is interrupted, too,
   *     and ends soon
   */
  static <T> T call(Callable<T> transfer) throws IOException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(transfer);
    if (Thread.currentThread().isVirtual()) {
      task.run();
    } else {
      Thread.ofVirtual().name("transfer").start(task);
    }
    try {
      return task.get();
    } catch (InterruptedException e) {
      task.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        // An interrupt closes the socket that a virtual thread waits for, so it caused the failure.
        case IOException cause when Thread.interrupted() ->
            throw (InterruptedException) new InterruptedException("transfer").initCause(cause);
        case IOException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException("unexpected kind of failure", e);
      }
    }
  }
}
