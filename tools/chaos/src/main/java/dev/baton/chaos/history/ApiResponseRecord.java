/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What the API answered. Requests that got no answer are not here: nothing is known of them.
 *
 * @param askedMs milliseconds from the history's beginning to the request
 * @param answeredMs and to the answer
 * @param request the kind
 * @param run whose, also where the path does not say it
 * @param status HTTP's
 * @param body as it came; of {@link Request#EVENTS}, the pages are put together
 */
public record ApiResponseRecord(
    long askedMs, long answeredMs, Request request, String run, int status, JsonNode body) {

  /** What was asked for. */
  public enum Request {
    /** {@code POST /runs}. */
    CREATE,
    /** {@code GET /runs/<id>}. */
    RUN,
    /** {@code GET /runs}: one run of the list. */
    LIST,
    /** {@code GET /runs/<id>/events}, when all had ended. */
    EVENTS,
    /** {@code POST /approvals/<approval>}; the body has the {@code approval}. */
    ANSWER
  }

  /** Whether the request did what it asked for. */
  public boolean acknowledges() {
    return status >= 200 && status < 300;
  }
}
