/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

/**
 * A tool call that an answer contains and that the agent has to execute.
 *
 * @param id its id, which the result repeats
 * @param name name of the tool
 */
public record ToolCallRef(String id, String name) {}
