/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Waits before the next attempt; doubles the wait each time, up to a maximum. Used by one thread.
 */
public final class RetryBackoff {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  public RetryBackoff(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** Creates one with a constant wait. */
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
      TimeUnit.NANOSECONDS.sleep(next.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    }
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
  }

  /** Starts again with the first wait. */
  public void reset() {
    next = first;
  }
}
