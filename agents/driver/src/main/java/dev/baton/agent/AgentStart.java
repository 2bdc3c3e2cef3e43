/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import org.jspecify.annotations.Nullable;

/** How a session begins. */
public sealed interface AgentStart {
  /** Returns the id of the session that is continued; null for a new one. */
  default @Nullable String resumedSession() {
    return switch (this) {
      case Fresh fresh -> null;
      case Fallback fallback -> null;
      case Resume(String id) -> id;
      case Continue(String id, String prompt) -> id;
      case Fork(String from, String to, String prompt) -> from;
    };
  }

  /**
   * A new session.
   *
   * @param prompt of any length: agents get it by stdin or in a message; on a screen as an
   *     argument, at most 120,000 bytes
   */
  record Fresh(String prompt) implements AgentStart {}

  /**
   * A new session since an older one was refused.
   *
   * @param prompt the fallback prompt: summary, last task, changed files
   * @param refused id of the older session; its files are removed from the home first
   */
  record Fallback(String prompt, String refused) implements AgentStart {}

  /**
   * The same session, continued within the turn: no new prompt. For a state that was captured at a
   * boundary. An agent that cannot do this is started again with what it needs; see the drivers.
   *
   * @param sessionId which the agent must take, else the end is {@link
   *     AgentEnd.Kind#SESSION_REFUSED}
   */
  record Resume(String sessionId) implements AgentStart {}

  /**
   * The same session with a new message of the user, after its turn has ended.
   *
   * @param sessionId as for {@link Resume}
   */
  record Continue(String sessionId, String prompt) implements AgentStart {}

  /**
   * A new session with the conversation of another one, whose process or whose run may still use
   * its own id. A driver that cannot do this ends it as {@link AgentEnd.Kind#SESSION_REFUSED}.
   *
   * @param from the session whose files are in the home
   * @param to a UUID for the new session, the same in each attempt; an agent that chooses the ids
   *     of its sessions takes another
   * @param prompt a new message of the user; null to continue within the turn
   */
  record Fork(String from, String to, @Nullable String prompt) implements AgentStart {
    /** Returns how the new session starts once its files are there. */
    public AgentStart forked() {
      return prompt == null ? new Resume(to) : new Continue(to, prompt);
    }
  }
}
