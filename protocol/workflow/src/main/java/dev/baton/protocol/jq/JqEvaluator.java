/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.jq.JqLimitException.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program on its own stacks: {@link JqContinuation}s process values, {@link JqChoicePoint}s
 * are the alternatives to try. The Java stack does not grow with the program's recursion. Counts
 * every step and every byte. For one thread, single use.
 */
final class JqEvaluator {
  /**
   * Steps per clock check, since reading the clock costs as much as a few steps. A power of two.
   */
  private static final int STEPS_PER_LOOK = 256;

  private static final int BYTES_PER_STEP = 32;

  /**
   * The machine that runs on a thread, for code that loads a value of its input and has no other
   * reference to it.
   */
  private static final ThreadLocal<JqEvaluator> RUNNING = new ThreadLocal<>();

  @Nullable JqFilter node;
  JsonNode in;
  @Nullable JqPath path;
  @Nullable JqEnvironment env;
  @Nullable JqContinuation next;
  @Nullable JqErrorHandler handlers;

  private final List<JqChoicePoint> forks = new ArrayList<>();
  private final JsonNode input;
  private long deadline;
  private final long maxBytes;
  private int steps;
  private long bytes;
  private long nextMeasure;
  private long baseline = -1;
  private long callBytes;
  private boolean done;

  JqEvaluator(JsonNode input, long maxNanos, long maxBytes) {
    this.input = input;
    this.in = input;
    this.deadline = System.nanoTime() + maxNanos;
    this.maxBytes = maxBytes;
    this.nextMeasure = Math.max(1, maxBytes / 2);
  }

  /**
   * Passes each result to {@code more} until it returns false.
   *
   * @throws JqException when an error is not caught by a {@code try}
   * @throws JqLimitException when a limit is reached
   */
  void run(JqFilter program, Predicate<JsonNode> more) {
    goTo(program, null, input, null, JqContinuation.of(null, () -> end(more)));
    RUNNING.set(this);
    try {
      while (!done) {
        try {
          loop();
        } catch (JqException e) {
          unwind(e);
        }
      }
    } finally {
      RUNNING.remove();
    }
  }

  /** Extends the deadline of the machine that runs on this thread, if there is one. */
  static void extend(long nanos) {
    JqEvaluator running = RUNNING.get();
    if (running != null) {
      running.deadline += nanos;
    }
  }

  private void end(Predicate<JsonNode> more) {
    if (more.test(in)) {
      backtrack();
    } else {
      done = true;
    }
  }

  private void loop() {
    while (!done) {
      tick();
      bytes += BYTES_PER_STEP;
      callBytes = 0;
      if (bytes >= nextMeasure) {
        measure();
      }
      JqFilter now = node;
      if (now == null) {
        JqContinuation to = next;
        if (to == null) {
          throw new IllegalStateException("no continuation for a value");
        }
        to.accept();
      } else {
        node = null;
        if (now.simple && path == null) {
          in = now.one(this, env, in);
        } else {
          now.run(this);
        }
      }
    }
  }

  private void unwind(JqException e) {
    JqErrorHandler handler = handlers;
    if (handler == null) {
      throw e;
    }
    cut(handler.height);
    handlers = handler.outer;
    env = handler.env;
    next = handler.next;
    node = null;
    handler.handle(e.value());
  }

  /** Continues with a filter on an input. */
  void goTo(
      JqFilter to,
      @Nullable JqEnvironment at,
      JsonNode value,
      @Nullable JqPath way,
      @Nullable JqContinuation then) {
    node = to;
    env = at;
    in = value;
    path = way;
    next = then;
  }

  /** Continues with a value. */
  void give(JsonNode value, @Nullable JqPath way) {
    node = null;
    in = value;
    path = way;
  }

  /** Continues with a new value, which has no path in the input. */
  void giveNew(JsonNode value) {
    give(value, path == null ? null : JqPath.NONE);
  }

  void push(JqChoicePoint fork) {
    bytes += JqMemoryEstimator.LINK;
    fork.handlers = handlers;
    forks.add(fork);
  }

  int height() {
    return forks.size();
  }

  void cut(int height) {
    forks.subList(height, forks.size()).clear();
  }

  void backtrack() {
    if (forks.isEmpty()) {
      done = true;
      return;
    }
    JqChoicePoint fork = forks.removeLast();
    handlers = fork.handlers;
    node = null;
    fork.resume();
  }

  /**
   * Counts a step.
   *
   * @throws JqLimitException when the time limit is exceeded or the thread is interrupted
   */
  void tick() {
    if ((++steps & (STEPS_PER_LOOK - 1)) == 0) {
      look();
    }
  }

  /** Counts many steps at once. */
  void tick(long count) {
    if (count >= STEPS_PER_LOOK) {
      look();
    } else {
      steps += (int) count;
      if (((steps - (int) count) & -STEPS_PER_LOOK) != (steps & -STEPS_PER_LOOK)) {
        look();
      }
    }
  }

  private void look() {
    if (System.nanoTime() - deadline > 0) {
      throw new JqLimitException(Bound.TIME);
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new JqLimitException(Bound.INTERRUPTED);
    }
  }

  /** Returns the nanoseconds until the deadline, at least 1. */
  long nanosLeft() {
    return Math.max(1, deadline - System.nanoTime());
  }

  /**
   * Counts bytes before they are allocated.
   *
   * @throws JqLimitException when the live values exceed the limit
   */
  void charge(long count) {
    callBytes += count;
    bytes += count;
    if (callBytes > maxBytes) {
      throw new JqLimitException(Bound.MEMORY);
    }
    tick(count >>> 9);
    if (bytes >= nextMeasure) {
      measure();
    }
  }

  /** Measures the live memory, without garbage and without the input. */
  private void measure() {
    if (baseline < 0) {
      JqMemoryEstimator ofInput = new JqMemoryEstimator();
      ofInput.add(input);
      baseline = ofInput.total(Long.MAX_VALUE, this::look);
    }
    JqMemoryEstimator live = new JqMemoryEstimator();
    live.addAll(input, in, path, env, next, handlers);
    forks.forEach(live::add);
    long held = live.total(baseline + maxBytes, this::look) - baseline + callBytes;
    look();
    if (held > maxBytes) {
      throw new JqLimitException(Bound.MEMORY);
    }
    nextMeasure = bytes + Math.max(maxBytes / 4, maxBytes - held);
  }

  static final JsonNode NULL = NullNode.getInstance();
}
