/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import java.time.Duration;

/**
 * Bounds of all tools.
 *
 * @param output bytes of a result that the model gets
 * @param file bytes of a file that is edited, written, or searched
 * @param matches lines that a search returns
 * @param search time of a search
 * @param command time of a command that names none
 * @param maxCommand the longest time that a command can name
 */
public record ToolLimits(
    int output, int file, int matches, Duration search, Duration command, Duration maxCommand) {
  public static final ToolLimits STANDARD =
      new ToolLimits(
          32 * 1024,
          8 * 1024 * 1024,
          200,
          Duration.ofSeconds(30),
          Duration.ofSeconds(120),
          Duration.ofSeconds(1_800));
}
