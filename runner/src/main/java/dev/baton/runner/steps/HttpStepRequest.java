/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request of a step, as it is sent to one target. */
record HttpStepRequest(
    String method, HttpTarget target, Map<String, String> headers, byte @Nullable [] body) {
  private static final int MOVED = 301;
  private static final int FOUND = 302;
  private static final int SEE_OTHER = 303;
  private static final int TEMPORARY = 307;
  private static final int PERMANENT = 308;

  /**
   * A response whose body was read completely.
   *
   * @param headers by lower-case names; several values of one name are joined by commas
   */
  record Answer(int status, Map<String, String> headers, byte[] body) {}

  /** Whether a response with this status redirects the request. */
  static boolean isRedirect(int status) {
    return status == MOVED
        || status == FOUND
        || status == SEE_OTHER
        || status == TEMPORARY
        || status == PERMANENT;
  }

  /** Returns the request that follows a redirect, without credentials if the origin differs. */
  HttpStepRequest redirected(int status, HttpTarget to) {
    boolean bodiless =
        status == SEE_OTHER && !method.equals("HEAD")
            || (status == MOVED || status == FOUND) && method.equals("POST");
    Map<String, String> kept =
        to.isSameOrigin(target) ? headers : HttpHeaderPolicy.harmless(headers);
    return bodiless
        ? new HttpStepRequest("GET", to, HttpHeaderPolicy.withoutBody(kept), null)
        : new HttpStepRequest(method, to, kept, body);
  }
}
