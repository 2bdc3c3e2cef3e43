/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The program that a workflow or the configuration requires.
 *
 * @param command program and leading arguments; empty for the driver's own name, found in {@code
 *     PATH}. A program without a slash is found in {@code PATH}
 * @param version required: whole, as {@code 2.1.332}, or its first numbers, as {@code 2.1}; null
 *     for any
 * @param path value of {@code PATH} for the search
 */
public record AgentProgram(List<String> command, @Nullable String version, String path) {
  public AgentProgram {
    command = List.copyOf(command);
  }
}
