/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * The conversation of an agent at the end of its step.
 *
 * @param agent as in the workflow's {@code use}
 * @param session the agent's own id of its session
 */
public record AgentConversation(String agent, String session) {}
