/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.ExitCode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The wait before another try: each twice as long as the one before, up to a longest. Used by one
 * thread.
 */
public final class Pause {
  private final Duration first;
  private final Duration longest;
  private Duration next;

  public Pause(Duration first, Duration longest) {
    this.first = first;
    this.longest = longest;
    this.next = first;
  }

  /** Always as long. */
  public static Pause of(Duration each) {
    return new Pause(each, each);
  }

  /**
   * Waits.
   *
   * @throws CliFailure when the thread is interrupted
   */
  public void next() {
    try {
      TimeUnit.NANOSECONDS.sleep(next.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.of(ExitCode.INTERRUPTED, "interrupted", e);
    }
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(longest) < 0 ? doubled : longest;
  }

  /** The next wait is the first again. */
  public void reset() {
    next = first;
  }
}
