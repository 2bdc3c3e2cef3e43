/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.SessionFileTail;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reads the rows that are appended to a transcript. For one thread at a time, but for {@link
 * #await} and {@link #close}.
 */
final class ClaudeTranscriptFollower implements AutoCloseable {
  /** The longest time until a change is seen where the system reports none. */
  private static final long POLL_MILLIS = 1_000;

  private final SessionFileTail tail;
  private final WatchService changes;

  private ClaudeTranscriptFollower(SessionFileTail tail, WatchService changes) {
    this.tail = tail;
    this.changes = changes;
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
    return new ClaudeTranscriptFollower(SessionFileTail.fromEnd(file), changes);
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
    tail.read(rows);
  }

  @Override
  public void close() throws IOException {
    changes.close();
  }
}
