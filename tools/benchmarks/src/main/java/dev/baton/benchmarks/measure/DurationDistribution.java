/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.util.Arrays;
import java.util.List;

/** Durations in microseconds, sorted. Not empty. Immutable. */
public final class DurationDistribution {
  private final long[] sorted;

  private DurationDistribution(long[] sorted) {
    this.sorted = sorted;
  }

  /**
   * @throws IllegalArgumentException when the array is empty
   */
  public static DurationDistribution of(long... micros) {
    if (micros.length == 0) {
      throw new IllegalArgumentException("no durations");
    }
    long[] sorted = micros.clone();
    Arrays.sort(sorted);
    return new DurationDistribution(sorted);
  }

  /** Merges the durations of all parts. */
  public static DurationDistribution pooled(List<DurationDistribution> parts) {
    return of(parts.stream().flatMapToLong(part -> Arrays.stream(part.sorted)).toArray());
  }

  public int count() {
    return sorted.length;
  }

  /**
   * Returns the smallest duration that at least this percentage of all does not exceed, in
   * milliseconds.
   *
   * @param percent more than 0, at most 100
   */
  public double millis(double percent) {
    if (!(percent > 0 && percent <= 100)) {
      throw new IllegalArgumentException("percentile " + percent + " is not within (0, 100]");
    }
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[rank - 1] / 1000.0;
  }

  public double meanMillis() {
    return Arrays.stream(sorted).average().orElseThrow() / 1000;
  }
}
