/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

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
    Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
    Files.createDirectories(folder);
    Path part = folder.resolve(file.getFileName() + ".part");
    Files.deleteIfExists(part);
    Files.createFile(
        part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(part, Json.bytes(content));
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
