/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentLaunch;

/** The end of a program on a screen, which people end. */
public final class ScreenEnd {
  private ScreenEnd() {}

  /**
   * Judges an exit code.
   *
   * @param begun whether the session has begun: one that ends before could not be resumed
   * @param answer the newest text of the agent
   * @param errors of the program
   */
  public static AgentEnd of(
      AgentLaunch launch, boolean begun, String answer, int exit, String errors) {
    if (exit == 0) {
      return new AgentEnd(AgentEnd.Kind.COMPLETED, answer, exit, "");
    }
    boolean refused = launch.start().resumedSession() != null && !begun;
    return new AgentEnd(
        refused ? AgentEnd.Kind.SESSION_REFUSED : AgentEnd.Kind.FAILED,
        "",
        exit,
        ("the agent ended with exit code " + exit + ", its screen had the reason: " + errors)
            .strip());
  }
}
