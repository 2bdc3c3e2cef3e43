/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import dev.baton.protocol.tls.TlsSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A server that is offered to an agent.
 *
 * @param name of letters, digits, {@code -} and {@code _}
 * @param timeout of each request of the agent
 */
public record McpServerSpec(String name, Target target, Duration timeout) {
  /** Where the server is. */
  public sealed interface Target {}

  /**
   * A program that speaks MCP on its pipes.
   *
   * @param environment exactly that of the process; marks may be added
   * @param directory in which it runs
   */
  public record Program(List<String> command, Map<String, String> environment, Path directory)
      implements Target {
    public Program {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
    }
  }

  /**
   * A server with streamable HTTP that runs elsewhere.
   *
   * @param tls whose authorities it may have, in addition to those of the JDK
   */
  public record Remote(URI url, Map<String, String> headers, TlsSettings tls) implements Target {
    public Remote {
      headers = Map.copyOf(headers);
    }

    @Override
    public String toString() {
      return url.toString();
    }
  }
}
