/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import dev.baton.benchmarks.measure.BurstResult;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.measure.SequentialRunResult;
import java.io.IOException;
import java.util.OptionalLong;

/** A system that executes durable steps. Used by one thread, except {@link #close()}. */
public interface StepsSystem extends AutoCloseable {

  /** One word, in lower case. */
  String name();

  /** Executes one run with this number of steps; returns when it has ended. */
  SequentialRunResult sequential(MeasuredStepKind kind, int steps)
      throws IOException, InterruptedException;

  /** Executes this number of runs concurrently; returns when all have ended. */
  BurstResult burst(MeasuredStepKind kind, int runs, int steps)
      throws IOException, InterruptedException;

  /** Returns the present footprint of its processes; empty when they are not on this machine. */
  ProcessFootprint footprint() throws IOException;

  /** Returns the number of log flushes to disk so far; empty when unknown. */
  OptionalLong flushes() throws IOException, InterruptedException;

  /** Stops what was started for the measurement. Idempotent. */
  @Override
  void close() throws IOException;
}
