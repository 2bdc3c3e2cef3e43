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

/** A system that makes steps durable. Used by one thread, except {@link #close()}. */
public interface StepsSystem extends AutoCloseable {

  /** One word, in lower case. */
  String name();

  /** One run of so many steps; returns when it has ended. */
  SequentialRunResult sequential(int steps) throws IOException, InterruptedException;

  /** So many runs at once; returns when all have ended. */
  BurstResult burst(int runs, int steps) throws IOException, InterruptedException;

  /** What its processes hold now; empty where they are not on this machine. */
  ProcessFootprint footprint() throws IOException;

  /** How often it has flushed its log to disk so far; empty where that cannot be known. */
  OptionalLong flushes() throws IOException, InterruptedException;

  /** Stops what was started for the measurement. A second call does nothing. */
  @Override
  void close() throws IOException;
}
