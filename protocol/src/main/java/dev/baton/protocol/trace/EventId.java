/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * {@code <run>/<lane>/<seq>}: what makes an event unique and gives it its place in its lane.
 *
 * @param run the run's id
 * @param seq 1, 2, 3 … within the lane
 */
public record EventId(String run, Lane lane, long seq) {
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
    String[] parts = text.split("/", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("event id '" + text + "' is not <run>/<lane>/<seq>");
    }
    String seq = parts[2];
    if (seq.isEmpty() || seq.length() > 18 || !seq.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(
          "event id '" + text + "': seq '" + seq + "' is not a number");
    }
    return new EventId(parts[0], Lane.parse(parts[1]), Long.parseLong(seq));
  }

  @Override
  public String toString() {
    return run + "/" + lane + "/" + seq;
  }
}
