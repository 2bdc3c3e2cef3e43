/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.McpAccess;
import dev.baton.agent.testkit.PlainProcessStarter;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Servers of one agent's home, as the runner starts them. */
final class McpRig {
  final Path home;
  final Queue<String> notes = new ConcurrentLinkedQueue<>();

  McpRig(Path home) {
    this.home = home;
  }

  McpServerSpec program(String name, List<String> command) {
    return program(name, command, Duration.ofSeconds(30), Map.of());
  }

  McpServerSpec program(
      String name, List<String> command, Duration timeout, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("PATH", System.getenv("PATH"));
    return new McpServerSpec(name, new McpServerSpec.Program(command, environment, home), timeout);
  }

  /** Where a server keeps its files. */
  Path files(String server) {
    return new McpStateFolder(home).files(server);
  }

  McpServerPool start(McpServerSpec... specs) throws IOException, InterruptedException {
    return McpServerPool.start(
        List.of(specs),
        new McpStateFolder(home),
        name -> new PlainProcessStarter(),
        new McpObserver() {
          @Override
          public void noted(String server, String note) {
            notes.add(server + ": " + note);
          }

          @Override
          public void printed(String server, String line) {
            // Not a part of what the tests compare.
          }
        });
  }

  static McpAccess.Http access(McpServerPool pool, String name) {
    List<McpAccess> found = new ArrayList<>(pool.accesses());
    found.removeIf(access -> !access.name().equals(name));
    return (McpAccess.Http) found.getFirst();
  }

  static McpClient connect(McpServerPool pool, String name) throws Exception {
    return McpClient.connect(access(pool, name));
  }

  static String call(McpClient client, String tool, long n) throws Exception {
    return text(client.call(tool, Json.mapper().createObjectNode().put("n", n)));
  }

  static String text(JsonNode result) {
    return result.path("content").path(0).path("text").asText();
  }
}
