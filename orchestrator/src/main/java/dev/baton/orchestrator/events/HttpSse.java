/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;

/** The header with which a client takes up a stream again. */
final class HttpSse {
  static final String LAST_EVENT_ID = "Last-Event-ID";

  private HttpSse() {}

  /**
   * @throws ProblemException when it is no position
   */
  static long position(String lastEventId) {
    try {
      long position = Long.parseLong(lastEventId);
      if (position >= 0) {
        return position;
      }
    } catch (NumberFormatException notANumber) {
      throw bad(lastEventId);
    }
    throw bad(lastEventId);
  }

  private static ProblemException bad(String value) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER,
        LAST_EVENT_ID
            + " '"
            + value
            + "' is not a position; allowed: the id of an event of this run");
  }
}
