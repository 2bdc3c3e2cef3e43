/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * A lane of a run's trace: one for the orchestrator's control events and one for each epoch's
 * runner, each numbered from 1 without gaps.
 *
 * @param epoch 0 for the control lane, the runner's epoch (1, 2, 3 …) otherwise
 */
public record Lane(int epoch) implements Comparable<Lane> {
  public static final Lane CONTROL = new Lane(0);

  private static final int MAX_DIGITS = 9;

  public Lane {
    if (epoch < 0) {
      throw new IllegalArgumentException("epoch " + epoch + " is negative");
    }
  }

  public static Lane runner(int epoch) {
    if (epoch < 1) {
      throw new IllegalArgumentException("epoch " + epoch + " is not 1 or more");
    }
    return new Lane(epoch);
  }

  /** Parses {@code c} or a decimal epoch. */
  public static Lane parse(String text) {
    if (text.equals("c")) {
      return CONTROL;
    }
    long epoch = AsciiDigitParser.parse(text, 0, MAX_DIGITS);
    if (epoch < 0) {
      throw new IllegalArgumentException(
          "lane '" + text + "' is neither 'c' nor an epoch of 1 to 999999999");
    }
    return runner((int) epoch);
  }

  public boolean isControl() {
    return epoch == 0;
  }

  @Override
  public int compareTo(Lane other) {
    return Integer.compare(epoch, other.epoch);
  }

  @Override
  public String toString() {
    return isControl() ? "c" : Integer.toString(epoch);
  }
}
