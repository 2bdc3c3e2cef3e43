/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.McpAccess;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A client of one server behind the proxy, for the built-in loop. Thread-safe. */
public final class McpClient implements AutoCloseable {
  /** Longer than any timeout of a workflow: the proxy ends a call before. */
  private static final Duration LONGEST = Duration.ofHours(25);

  private final McpSession session;

  private McpClient(McpSession session) {
    this.session = session;
  }

  /**
   * Connects to a server.
   *
   * @throws IOException when that is not possible
   * @throws McpException when the server does not answer, or has failed
   */
  public static McpClient connect(McpAccess.Http access)
      throws IOException, McpException, InterruptedException {
    return new McpClient(
        McpSession.open(
            access.name(),
            receiver ->
                new HttpTransport(
                    access.name(),
                    access.url(),
                    access.headers(),
                    TlsSettings.NONE,
                    LONGEST,
                    receiver),
            McpLimits.START.multipliedBy(2)));
  }

  /**
   * A tool of a server.
   *
   * @param schema of its arguments
   * @param readOnly whether the server declares that it changes nothing
   */
  public record Tool(String name, String description, JsonNode schema, boolean readOnly) {}

  /** Lists the tools. */
  public List<Tool> tools() throws McpException, InterruptedException {
    if (!session.initialized().path("capabilities").has("tools")) {
      return List.of();
    }
    List<Tool> tools = new ArrayList<>();
    for (JsonNode tool : session.list("tools/list", "tools", McpLimits.OWN_REQUEST)) {
      tools.add(
          new Tool(
              tool.path("name").asText(),
              tool.path("description").asText(),
              tool.path("inputSchema"),
              tool.path("annotations").path("readOnlyHint").asBoolean(false)));
    }
    return tools;
  }

  /**
   * Calls a tool.
   *
   * @return the result, with {@code content} and perhaps {@code isError}
   * @throws McpException when there is none; the message is that of the proxy
   */
  public JsonNode call(String tool, JsonNode arguments) throws McpException, InterruptedException {
    ObjectNode params = Json.mapper().createObjectNode().put("name", tool);
    params.set("arguments", arguments);
    JsonNode response = session.await(session.send("tools/call", params, progress -> {}), LONGEST);
    if (response.has("error")) {
      throw McpException.refused(response.path("error").path("message").asText());
    }
    return response.path("result");
  }

  @Override
  public void close() {
    session.close();
  }
}
