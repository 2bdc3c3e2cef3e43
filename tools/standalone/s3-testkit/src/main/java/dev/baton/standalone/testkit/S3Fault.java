/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

/** How a request to an object store can fail. */
public enum S3Fault {
  /** The response is 500; the request does not reach the server. */
  ANSWER_500,
  /** The response is 503 with S3's {@code SlowDown}; the request does not reach the server. */
  ANSWER_503,
  /** The connection is reset before the request reaches the server. */
  RESET_BEFORE,
  /** The connection is reset, on both sides, after half of the request's body was passed on. */
  RESET_WITHIN_REQUEST,
  /** The server has executed the request; the connection is reset instead of a response. */
  RESET_AFTER,
  /** The connection is reset after half of the response's body was passed on. */
  RESET_WITHIN_ANSWER
}
