/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.InstalledAgents;
import dev.baton.protocol.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory server of the MCP project, whose state is a file. Skipped where npm is missing. */
class MemoryServerTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  void shouldRememberByItsFile() throws Exception {
    List<String> command = InstalledAgents.memoryServer();
    McpRig rig = new McpRig(Files.createDirectories(folder));
    Path file = rig.files("memory").resolve("memory.jsonl");
    McpServerSpec memory =
        rig.program(
            "memory", command, Duration.ofSeconds(60), Map.of("MEMORY_FILE_PATH", file.toString()));
    try (McpServerPool pool = rig.start(memory);
        McpClient client = McpRig.connect(pool, "memory")) {
      assertThat(client.tools()).extracting(McpClient.Tool::name).contains("create_entities");
      client.call(
          "create_entities",
          Json.mapper()
              .readTree(
                  "{\"entities\":[{\"name\":\"Baton\",\"entityType\":\"project\",\"observations\":[\"runs long work\"]}]}"));
      assertThat(pool.capture().get("memory")).isEmpty();
    }

    try (McpServerPool pool = rig.start(memory);
        McpClient client = McpRig.connect(pool, "memory")) {
      JsonNode graph = client.call("read_graph", Json.mapper().createObjectNode());
      assertThat(graph.toString()).contains("runs long work");
    }
    assertThat(rig.notes).isEmpty();
  }
}
