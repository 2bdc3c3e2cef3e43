/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Reads the rows that are appended to the session file of an agent, which may not exist yet. A row
 * above 16 MiB is skipped. For one thread at a time.
 */
public final class SessionFileTail {
  private static final int MAX_ROW = 16 << 20;
  private static final int CHUNK = 64 << 10;

  private final Path file;
  private final ByteArrayOutputStream row = new ByteArrayOutputStream();
  private long position;
  private boolean skipping;

  private SessionFileTail(Path file, long position) {
    this.file = file;
    this.position = position;
  }

  /** Starts at the first row. */
  public static SessionFileTail fromStart(Path file) {
    return new SessionFileTail(file, 0);
  }

  /** Starts after the rows that there are. */
  public static SessionFileTail fromEnd(Path file) throws IOException {
    return new SessionFileTail(file, Files.exists(file) ? Files.size(file) : 0);
  }

  /** Passes the rows that are new and whole. */
  public void read(Consumer<JsonNode> rows) throws IOException {
    if (!Files.isRegularFile(file)) {
      return;
    }
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "r")) {
      content.seek(Math.min(position, content.length()));
      byte[] chunk = new byte[CHUNK];
      for (int n = content.read(chunk); n > 0; n = content.read(chunk)) {
        position = content.getFilePointer();
        for (int i = 0; i < n; i++) {
          if (chunk[i] == '\n') {
            end(rows);
          } else if (row.size() < MAX_ROW) {
            row.write(chunk[i]);
          } else {
            skipping = true;
          }
        }
      }
    }
  }

  private void end(Consumer<JsonNode> rows) {
    String text = row.toString(StandardCharsets.UTF_8);
    boolean skipped = skipping;
    row.reset();
    skipping = false;
    if (skipped || text.isBlank()) {
      return;
    }
    JsonNode parsed;
    try {
      parsed = Json.mapper().readTree(text);
    } catch (JsonProcessingException e) {
      return; // A damaged row has no event; a resume names it.
    }
    rows.accept(parsed);
  }
}
