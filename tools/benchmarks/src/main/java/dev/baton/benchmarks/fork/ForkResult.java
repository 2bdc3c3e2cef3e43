/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.fork;

import dev.baton.benchmarks.measure.DurationDistribution;
import java.time.Instant;
import java.util.List;

/** The measurements, in the order of the options. */
public record ForkResult(Instant at, String machine, int samples, List<Row> rows) {
  /**
   * The forks of one parent.
   *
   * @param answered from the request to its response, which has the fork's id
   * @param completed from the request until the end of the fork, two steps later, was in the log
   * @param storedBytes growth of the object store per fork
   */
  public record Row(
      ForkOptions.Parent parent,
      DurationDistribution answered,
      DurationDistribution completed,
      long storedBytes) {}

  public ForkResult {
    rows = List.copyOf(rows);
  }
}
