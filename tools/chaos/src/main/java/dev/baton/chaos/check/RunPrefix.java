/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

/**
 * What a run is after some of its records; only what can be told without judging steps.
 *
 * @param records how many
 * @param epoch who holds the run; 0 when nobody was assigned yet
 * @param completed how many completions counted
 * @param end the status that the run ended with; empty while it has not
 * @param waits whether a question was asked and not answered, or the run is parked
 */
record RunPrefix(int records, int epoch, int completed, String end, boolean waits) {
  static final RunPrefix NONE = new RunPrefix(0, 0, 0, "", false);

  @Override
  public String toString() {
    return "after %d records: epoch %d, %d completed, %s"
        .formatted(records, epoch, completed, end.isEmpty() ? "not ended" : end);
  }
}
