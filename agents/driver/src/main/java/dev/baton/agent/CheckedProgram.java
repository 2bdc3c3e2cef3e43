/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.List;

/**
 * A program that was found and has the required version.
 *
 * @param command absolute path and leading arguments
 * @param version that the program reports; empty for a program without versions ({@code command})
 */
public record CheckedProgram(List<String> command, String version) {
  public CheckedProgram {
    command = List.copyOf(command);
    if (command.isEmpty()) {
      throw new IllegalArgumentException("the command is empty");
    }
  }
}
