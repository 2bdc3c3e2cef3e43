/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A response of the API. Requests without a response are not recorded: their effect is unknown.
 *
 * @param askedMs milliseconds from the start of the history to the request
 * @param answeredMs and to the response
 * @param request the kind
 * @param run the run, also when the path does not contain it
 * @param status the HTTP status
 * @param body as received; for {@link Request#EVENTS}, all pages merged
 */
public record ApiResponseRecord(
    long askedMs, long answeredMs, Request request, String run, int status, JsonNode body) {

  /** The kind of request. */
  public enum Request {
    /** {@code POST /runs}. */
    CREATE,
    /** {@code GET /runs/<id>}. */
    RUN,
    /** {@code GET /runs}: one run of the list. */
    LIST,
    /** {@code GET /runs/<id>/events}, after all runs ended. */
    EVENTS,
    /** {@code POST /approvals/<approval>}; the body has the {@code approval}. */
    ANSWER
  }

  /** Whether the request succeeded. */
  public boolean acknowledges() {
    return status >= 200 && status < 300;
  }
}
