/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.protocol.retry.Backoff;
import java.time.Duration;

/** Waits before the next attempt, as a {@link Backoff} says. Used by one thread. */
public final class RetryBackoff {
  private final Backoff backoff;

  /** Creates one whose waits grow from the first to the longest. */
  public RetryBackoff(Duration first, Duration longest) {
    this.backoff = Backoff.exponential(first, longest);
  }

  /** Creates one whose waits have the same bound. */
  public static RetryBackoff of(Duration each) {
    return new RetryBackoff(each, each);
  }

  /**
   * Waits.
   *
   * @throws CliException when the thread is interrupted
   */
  public void next() {
    try {
      backoff.pause();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    }
  }

  /** Starts again with the first wait. */
  public void reset() {
    backoff.reset();
  }
}
