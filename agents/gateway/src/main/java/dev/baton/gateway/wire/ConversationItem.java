/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

/**
 * One element of a conversation in the notation that all forms share. Border lines between messages
 * are left out: agents split and join messages when they resume.
 *
 * @param kind what it is
 * @param role {@code user} or {@code assistant}
 * @param id id of the call, for {@link Kind#CALL} and {@link Kind#RESULT}; otherwise empty
 * @param value text, or canonical JSON
 */
public record ConversationItem(Kind kind, String role, String id, String value) {
  /** The kinds of items. */
  public enum Kind {
    TEXT,
    CALL,
    RESULT,
    OTHER
  }

  static ConversationItem text(String role, String text) {
    return new ConversationItem(Kind.TEXT, role, "", text);
  }

  static ConversationItem call(String id, String name, String input) {
    return new ConversationItem(Kind.CALL, "assistant", id, name + "\n" + input);
  }

  static ConversationItem result(String id, String content) {
    return new ConversationItem(Kind.RESULT, "user", id, content);
  }

  static ConversationItem other(String role, String json) {
    return new ConversationItem(Kind.OTHER, role, "", json);
  }
}
