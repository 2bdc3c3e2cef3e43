/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;

/** Runs the steps of a shutdown, each even if earlier ones failed. Used by one thread. */
final class ShutdownSequence {

  private @Nullable StackException failure;
  private boolean interrupted;

  /** A step of a shutdown. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException, InterruptedException;
  }

  void step(Step step) {
    try {
      step.run();
    } catch (InterruptedException | InterruptedIOException e) {
      interrupted = true;
      note(
          new StackException("interrupted while stopping; some processes may still be running", e));
    } catch (StackException e) {
      note(e);
    } catch (IOException | RuntimeException e) {
      note(new StackException("the stack did not stop: " + e.getMessage(), e));
    }
  }

  /**
   * @throws StackException the first failure, with the others attached as suppressed
   */
  void finish() throws StackException {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void note(StackException next) {
    if (failure == null) {
      failure = next;
    } else {
      failure.addSuppressed(next);
    }
  }
}
