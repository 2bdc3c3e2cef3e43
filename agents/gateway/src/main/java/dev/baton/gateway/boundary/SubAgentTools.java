/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

/** The tools of an agent for sub-agents. */
public interface SubAgentTools {
  /**
   * Whether sub-agents work beside the conversation that has started them. Otherwise a call ends
   * with its sub-agent.
   */
  boolean areBeside();

  /** Whether a tool, by its name, starts a sub-agent and ends at once. */
  boolean isStart(String tool);

  /** Whether a tool, by its name, ends only after sub-agents. */
  boolean isWait(String tool);
}
