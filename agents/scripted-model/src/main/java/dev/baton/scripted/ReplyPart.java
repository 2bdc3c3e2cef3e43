/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

/** A part of a scripted answer. */
public sealed interface ReplyPart {
  /** Text for the user. */
  record Text(String text) implements ReplyPart {}

  /** Thinking or reasoning. */
  record Thinking(String text) implements ReplyPart {}

  /**
   * A tool call.
   *
   * @param input a JSON object
   */
  record ToolCall(String name, String input) implements ReplyPart {}
}
