/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * A boundary between two turns of an agent: no tool call is open, and the checkpoint has the files
 * and the agent's own state of the same instant.
 *
 * @param agent as in the workflow's {@code use}
 * @param session the agent's own id of its session; null where it has none
 * @param boundary number of the boundary in the agent's process, from 1
 */
public record AgentTurn(String agent, @Nullable String session, int boundary) {}
