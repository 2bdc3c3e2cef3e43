/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reads the rows that are appended to a transcript. A row above {@link #MAX_ROW} bytes is skipped.
 * For one thread at a time, but for {@link #await} and {@link #close}.
 */
final class ClaudeTranscriptFollower implements AutoCloseable {
  private static final int MAX_ROW = 16 << 20;
  private static final int CHUNK = 64 << 10;

  /** The longest time until a change is seen where the system reports none. */
  private static final long POLL_MILLIS = 1_000;

  private final Path file;
  private final WatchService changes;
  private final ByteArrayOutputStream row = new ByteArrayOutputStream();
  private long position;
  private boolean skipping;

  private ClaudeTranscriptFollower(Path file, WatchService changes, long position) {
    this.file = file;
    this.changes = changes;
    this.position = position;
  }

  /** Starts at the end of the file, which may not exist; creates its folder. */
  static ClaudeTranscriptFollower open(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null) {
      throw new IOException("a transcript is in a folder");
    }
    Files.createDirectories(folder);
    WatchService changes = folder.getFileSystem().newWatchService();
    folder.register(
        changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
    return new ClaudeTranscriptFollower(file, changes, Files.exists(file) ? Files.size(file) : 0);
  }

  /**
   * Waits for the next change, one second at most.
   *
   * @return false when it is closed
   */
  boolean await() {
    try {
      WatchKey key = changes.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (key != null) {
        key.pollEvents();
        key.reset();
      }
      return true;
    } catch (ClosedWatchServiceException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Passes the rows that are new and whole. */
  void read(Consumer<JsonNode> rows) throws IOException {
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

  @Override
  public void close() throws IOException {
    changes.close();
  }
}
