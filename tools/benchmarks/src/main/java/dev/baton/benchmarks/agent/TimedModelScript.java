/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers a session with one tool call per turn, and keeps when each request arrived. For one
 * session at a time. Thread-safe.
 */
final class TimedModelScript implements ModelScript {
  /** Delay of a held answer, which is longer than its agent lives. */
  private static final Duration HELD = Duration.ofMinutes(1);

  // The lock of the fields below.
  private final List<Long> arrivals = new ArrayList<>();
  private int turns = 1;
  private Duration delay = Duration.ZERO;
  private int held;

  /**
   * Begins a session.
   *
   * @param turns its answers; the last one calls no tool
   * @param delay before each answer
   * @param held the turn whose first request gets no answer; 0 for none
   */
  synchronized void begin(int turns, Duration delay, int held) {
    this.turns = turns;
    this.delay = delay;
    this.held = held;
    arrivals.clear();
  }

  @Override
  public synchronized ScriptedReply reply(ScriptedRequest request) {
    arrivals.add(System.nanoTime());
    notifyAll();
    int turn = request.turn() + 1;
    if (turn == held) {
      held = 0;
      return ScriptedReply.empty().after(HELD);
    }
    ScriptedReply reply =
        turn >= turns
            ? ScriptedReply.text("All done.")
            : ScriptedReply.call(
                "append", "{\"file\": \"lines\", \"line\": \"line of turn %d\"}".formatted(turn));
    return reply.after(delay);
  }

  /**
   * Waits for the n-th request of the session.
   *
   * @return when it arrived, by {@link System#nanoTime()}
   * @throws IOException when it does not arrive within {@code bound}
   */
  synchronized long await(int n, Duration bound) throws IOException, InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (arrivals.size() < n) {
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new IOException(
            "%d of %d requests have arrived within %s".formatted(arrivals.size(), n, bound));
      }
      wait(left / 1_000_000 + 1);
    }
    return arrivals.get(n - 1);
  }

  /** Returns the times from each request to the next, in microseconds. */
  synchronized long[] periods() {
    long[] periods = new long[Math.max(0, arrivals.size() - 1)];
    for (int i = 0; i < periods.length; i++) {
      periods[i] = (arrivals.get(i + 1) - arrivals.get(i)) / 1_000;
    }
    return periods;
  }
}
