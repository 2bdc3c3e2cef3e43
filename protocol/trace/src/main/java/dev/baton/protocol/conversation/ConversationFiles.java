/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.file.PrivateFileWriter;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes JSON files that only their owner reads. */
final class ConversationFiles {
  private ConversationFiles() {}

  static JsonNode read(Path file) throws IOException {
    try {
      return Json.mapper().readTree(Files.readAllBytes(file));
    } catch (JsonProcessingException e) {
      throw new IOException(file + " is damaged: " + e.getOriginalMessage(), e);
    }
  }

  /** Writes a file, whole or not at all; creates its folder. */
  static void write(Path file, JsonNode content) throws IOException {
    PrivateFileWriter.write(file, Json.bytes(content));
  }
}
