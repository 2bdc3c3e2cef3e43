/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

/** How a request to an object store can fail. */
public enum S3Fault {
  /** The answer is 500; the server has not heard of the request. */
  ANSWER_500,
  /** The answer is 503 with S3's {@code SlowDown}; the server has not heard of the request. */
  ANSWER_503,
  /** The connection is reset before the server has heard of the request. */
  RESET_BEFORE,
  /** The connection is reset, on both sides, when half of the request's body has been passed on. */
  RESET_WITHIN_REQUEST,
  /** The server has done what was asked; the connection is reset instead of an answer. */
  RESET_AFTER,
  /** The connection is reset when half of the answer's body has been passed on. */
  RESET_WITHIN_ANSWER
}
