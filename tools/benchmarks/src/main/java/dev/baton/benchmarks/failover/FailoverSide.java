/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import dev.baton.benchmarks.baton.BenchmarkStack;
import dev.baton.benchmarks.baton.LoopingRunDriver;
import java.io.IOException;

/** A version's stack and the runs on it. */
record FailoverSide(FailoverVersion version, BenchmarkStack stack, LoopingRunDriver runs)
    implements AutoCloseable {
  static FailoverSide of(FailoverVersion version, BenchmarkStack stack) throws IOException {
    try {
      return new FailoverSide(version, stack, LoopingRunDriver.on(stack));
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      runs.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stack.close();
    }
  }
}
