/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.util.List;
import java.util.Map;

/**
 * An MCP server that an agent may use, as the agent reaches it: Baton's proxy.
 *
 * @param name of letters, digits, {@code -} and {@code _}
 */
public sealed interface McpAccess {
  String name();

  /** Describes HTTP servers as JSON, for programs without a format of their own. */
  static String toJson(List<McpAccess> all) {
    ObjectNode servers = Json.mapper().createObjectNode();
    for (McpAccess access : all) {
      if (access instanceof Http http) {
        ObjectNode server = servers.putObject(http.name()).put("type", "http");
        server.put("url", http.url().toString());
        ObjectNode headers = server.putObject("headers");
        http.headers().forEach(headers::put);
      }
    }
    return servers.toString();
  }

  /**
   * A program that speaks MCP on stdin and stdout.
   *
   * @param environment added to that of the agent; no secrets, agents keep it in files
   */
  record Stdio(String name, List<String> command, Map<String, String> environment)
      implements McpAccess {
    public Stdio {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
    }
  }

  /** A server at a URL on loopback, with headers. */
  record Http(String name, java.net.URI url, Map<String, String> headers) implements McpAccess {
    public Http {
      headers = Map.copyOf(headers);
    }
  }
}
