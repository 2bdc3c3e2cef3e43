/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

/** What goes wrong with a scripted answer. */
public sealed interface ReplyFault {
  /** Nothing. */
  record None() implements ReplyFault {}

  /**
   * An error response.
   *
   * @param status for example 429
   * @param retryAfter value of the header; empty for none
   * @param message of the error
   */
  record ErrorStatus(int status, String retryAfter, String message) implements ReplyFault {}

  /**
   * The connection is closed after some events, 0 for none.
   *
   * @param events that are sent before
   */
  record BreakOff(int events) implements ReplyFault {}

  /** Bytes that are neither events nor JSON, with the given content type. */
  record Garbage(String contentType, String text) implements ReplyFault {}

  /** A stream that reports an error after some events. */
  record ErrorEvent(int events) implements ReplyFault {}
}
