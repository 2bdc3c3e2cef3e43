/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Starts processes for drivers. The runner's implementation adds its marks and records the process,
 * so that it and its children are found and killed. Thread-safe.
 */
@FunctionalInterface
public interface AgentProcessStarter {
  /**
   * Starts a process with three pipes.
   *
   * @throws IOException when the program cannot be started
   */
  AgentProcess start(AgentCommand command) throws IOException;

  /**
   * A process to start.
   *
   * @param arguments absolute program first
   * @param environment exactly that of the process; marks may be added
   */
  record AgentCommand(List<String> arguments, Map<String, String> environment, Path directory) {
    public AgentCommand {
      arguments = List.copyOf(arguments);
      environment = Map.copyOf(environment);
    }
  }
}
