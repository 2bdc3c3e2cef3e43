/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.McpAccess;
import dev.baton.agent.loop.tool.McpTool;
import dev.baton.agent.loop.tool.ToolLimits;
import dev.baton.agent.mcp.McpClient;
import dev.baton.agent.mcp.McpException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The tools of the MCP servers that the loop may use. A server that fails has none. */
final class McpToolProvider implements AutoCloseable {
  private static final int MAX_TOOLS = 128;

  private final List<McpClient> clients = new ArrayList<>();
  private final List<McpTool> tools = new ArrayList<>();

  private McpToolProvider() {}

  /**
   * Connects to the servers one by one, and lists their tools.
   *
   * @param notes receives why a server or a tool is missing
   */
  static McpToolProvider connect(List<LoopSettings.LoopMcpServer> servers, Consumer<String> notes)
      throws InterruptedException {
    McpToolProvider all = new McpToolProvider();
    for (LoopSettings.LoopMcpServer server : servers) {
      try {
        McpClient client =
            McpClient.connect(new McpAccess.Http(server.name(), server.url(), server.headers()));
        all.clients.add(client);
        for (McpClient.Tool tool : client.tools()) {
          if (all.tools.size() >= MAX_TOOLS) {
            notes.accept(
                "the servers have more than %d tools; '%s' of '%s' is left out"
                    .formatted(MAX_TOOLS, tool.name(), server.name()));
          } else {
            all.tools.add(new McpTool(server.name(), tool, client, ToolLimits.STANDARD));
          }
        }
      } catch (IOException | McpException e) {
        notes.accept("no tools of server '%s': %s".formatted(server.name(), e.getMessage()));
      }
    }
    return all;
  }

  List<McpTool> tools() {
    return tools;
  }

  @Override
  public void close() {
    clients.forEach(McpClient::close);
  }
}
