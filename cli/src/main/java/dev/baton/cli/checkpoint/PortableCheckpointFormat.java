/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.ManifestCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Defines the portable form of a checkpoint: one folder of files that any tool can read. {@code
 * manifest.json} has the SHA-256 of each other file under {@code checksums}.
 */
final class PortableCheckpointFormat {
  static final String MANIFEST = "manifest.json";
  static final String CONVERSATION = "conversation.json";
  static final String SESSION = "session_state.json";
  static final String ENVIRONMENT = "environment.json";
  static final String WORKSPACE = "workspace.tar.zst";
  static final String TMUX = "tmux_state.txt";
  static final String MCP = "mcp_state";
  static final String CHECKSUMS = "checksums";

  /** Files that a portable checkpoint must have. */
  static final List<String> REQUIRED = List.of(MANIFEST, CONVERSATION, SESSION, WORKSPACE);

  private PortableCheckpointFormat() {}

  /** Writes all files except the workspace archive and the manifest. */
  static void writeState(Path folder, JsonNode manifest, AgentStateExporter agent)
      throws IOException {
    json(folder.resolve(CONVERSATION), agent.conversation());
    json(folder.resolve(SESSION), manifest.path("session_state"));
    json(folder.resolve(ENVIRONMENT), manifest.path("environment"));
    byte[] screen = agent.screen();
    if (screen != null) {
      Files.write(folder.resolve(TMUX), screen);
    }
    Path mcp = Files.createDirectory(folder.resolve(MCP));
    for (var server : manifest.path("mcp_state").properties()) {
      json(mcp.resolve(fileName(server.getKey()) + ".json"), server.getValue());
    }
  }

  /** Converts the name of a server to a file name: the former may contain any character. */
  private static String fileName(String server) {
    String safe = server.replaceAll("[^A-Za-z0-9._-]", "_");
    return safe.startsWith(".") ? "_" + safe.substring(1) : safe;
  }

  private static void json(Path file, JsonNode value) throws IOException {
    JsonNode written =
        value.isMissingNode() || value.isNull() ? Json.mapper().createObjectNode() : value;
    Files.write(file, Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(written));
  }

  /** Writes the manifest, last, since it has the checksums of all other files. */
  static void writeManifest(Path folder, JsonNode manifest) throws IOException {
    ObjectNode document = ((ObjectNode) manifest).deepCopy();
    ObjectNode checksums = document.putObject(CHECKSUMS);
    for (String name : files(folder)) {
      checksums.put(name, FileDigester.of(folder.resolve(name)));
    }
    document.put("checksum", ManifestCodec.checksum(document));
    json(folder.resolve(MANIFEST), document);
  }

  /** Lists all files except the manifest, sorted, by their paths relative to the folder. */
  static List<String> files(Path folder) throws IOException {
    try (var all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .filter(name -> !name.equals(MANIFEST))
          .sorted()
          .toList();
    }
  }
}
