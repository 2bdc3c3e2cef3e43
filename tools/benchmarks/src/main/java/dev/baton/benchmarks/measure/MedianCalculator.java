/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Calculates the median of a few values. */
public final class MedianCalculator {
  private MedianCalculator() {}

  /** Returns the median of a figure of these items, of which there is at least one. */
  public static <T> double of(List<T> items, ToDoubleFunction<? super T> figure) {
    return of(items.stream().map(figure::applyAsDouble).toList());
  }

  /**
   * Returns the median; the mean of the two middle values for an even number.
   *
   * @throws IllegalArgumentException when there are none
   */
  public static double of(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("no values");
    }
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
