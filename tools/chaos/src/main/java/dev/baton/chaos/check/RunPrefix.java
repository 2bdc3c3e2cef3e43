/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

/**
 * State of a run after a prefix of its records, as far as it follows without evaluating steps.
 *
 * @param records length of the prefix
 * @param epoch the current epoch; 0 before the first assignment
 * @param completed number of completions that count
 * @param end the run's final status; empty while it has not ended
 * @param waits whether a question is open, or the run is parked
 */
record RunPrefix(int records, int epoch, int completed, String end, boolean waits) {
  static final RunPrefix NONE = new RunPrefix(0, 0, 0, "", false);

  @Override
  public String toString() {
    return "after %d records: epoch %d, %d completed, %s"
        .formatted(records, epoch, completed, end.isEmpty() ? "not ended" : end);
  }
}
