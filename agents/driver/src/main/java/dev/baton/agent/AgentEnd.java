/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

/**
 * The end of an agent's process.
 *
 * @param text the final text of the agent; empty where there is none
 * @param exit code of the process; -1 where unknown, 128 + signal for a signal
 * @param message why, for people; empty when completed
 */
public record AgentEnd(Kind kind, String text, int exit, String message) {
  /** How it ended. */
  public enum Kind {
    /** The turn has ended, and the agent has given its final text. */
    COMPLETED,
    /** The agent has ended by itself without a result; a repetition would end likewise. */
    FAILED,
    /** Its process was ended by a signal from outside; the newest boundary may be resumed. */
    DIED,
    /**
     * The requested session cannot be resumed: its files are missing, torn or of another version,
     * or the agent took another session. The model was not called.
     */
    SESSION_REFUSED,
    /** The gateway refused a request since a budget is used up. */
    BUDGET,
    /** {@link AgentSession#kill} or {@link AgentSession#interrupt} was called. */
    KILLED
  }

  /** The same end with another exit code. */
  public AgentEnd withExit(int code) {
    return new AgentEnd(kind, text, code, message);
  }
}
