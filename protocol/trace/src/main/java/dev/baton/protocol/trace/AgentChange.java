/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * What a fork changes about the agent step that continues in it.
 *
 * @param prompt with which the conversation continues, of at most {@value #MAX_PROMPT} characters;
 *     null to continue within its turn
 * @param model of all its later calls; null for the model of the definition
 * @param use the agent that continues, without the conversation; null for the same agent
 */
public record AgentChange(@Nullable String prompt, @Nullable String model, @Nullable String use) {
  public static final int MAX_PROMPT = 65_536;
}
