/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * {@code <run>/<lane>/<seq>}: identifies an event and gives its position in its lane.
 *
 * @param run the run's id
 * @param seq 1, 2, 3 … within the lane
 */
public record EventId(String run, Lane lane, long seq) {
  private static final int MAX_DIGITS = 18;

  public EventId {
    RunId.check(run);
    if (seq < 1) {
      throw new IllegalArgumentException("seq " + seq + " is not 1 or more");
    }
  }

  /**
   * @throws IllegalArgumentException that names the text and what is allowed
   */
  public static EventId parse(String text) {
    int first = text.indexOf('/');
    int second = text.indexOf('/', first + 1);
    if (first < 0 || second < 0 || text.indexOf('/', second + 1) >= 0) {
      throw new IllegalArgumentException("event id '" + text + "' is not <run>/<lane>/<seq>");
    }
    long seq = AsciiDigitParser.parse(text, second + 1, MAX_DIGITS);
    if (seq < 0) {
      throw new IllegalArgumentException(
          "event id '" + text + "': seq '" + text.substring(second + 1) + "' is not a number");
    }
    return new EventId(
        text.substring(0, first), Lane.parse(text.substring(first + 1, second)), seq);
  }

  @Override
  public String toString() {
    return run + "/" + lane + "/" + seq;
  }
}
