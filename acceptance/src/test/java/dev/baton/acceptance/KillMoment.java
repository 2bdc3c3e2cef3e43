/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/** The activity of a runner when it was killed. */
enum KillMoment {
  STARTING("starting"),
  RESTORING("restoring"),
  STEP("in a step"),
  CUTTING("cutting"),
  BETWEEN("between steps");

  private final String words;

  KillMoment(String words) {
    this.words = words;
  }

  /**
   * @param halfMade whether it has left partial results next to the workspace
   */
  record Kill(int epoch, boolean halfMade) {}

  /**
   * @param completed the epoch that has completed each step
   */
  static KillMoment of(Kill kill, WorkspaceLedger ledger, Map<String, Integer> completed)
      throws IOException {
    WorkspaceLedger.Line last =
        ledger.lines().stream()
            .filter(line -> line.epoch() == kill.epoch())
            .reduce((_, later) -> later)
            .orElse(null);
    if (last == null) {
      return kill.halfMade() ? RESTORING : STARTING;
    }
    if (!last.position().equals(WorkspaceLedger.END)) {
      return STEP;
    }
    return completed.getOrDefault(last.step(), 0) > kill.epoch() ? CUTTING : BETWEEN;
  }

  static String told(EnumMap<KillMoment, Integer> counts) {
    StringBuilder told = new StringBuilder();
    counts.forEach(
        (moment, count) ->
            told.append(told.isEmpty() ? "" : ", ").append(count).append(' ').append(moment.words));
    return told.toString();
  }
}
