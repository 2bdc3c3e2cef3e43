/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.FolderWatch;
import dev.baton.agent.process.SessionFileFollower;
import dev.baton.agent.process.SessionFileTail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Reads the rows that are appended to a transcript. For one thread at a time, but for {@link
 * #await} and {@link #close}.
 */
final class ClaudeTranscriptFollower implements SessionFileFollower {
  private final SessionFileTail tail;
  private final FolderWatch changes;

  private ClaudeTranscriptFollower(SessionFileTail tail, FolderWatch changes) {
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
    FolderWatch changes = FolderWatch.of(folder.getFileSystem());
    changes.add(folder);
    return new ClaudeTranscriptFollower(SessionFileTail.fromEnd(file), changes);
  }

  @Override
  public boolean await() {
    return changes.await();
  }

  @Override
  public void read(Consumer<JsonNode> rows) throws IOException {
    tail.read(rows);
  }

  @Override
  public void close() throws IOException {
    changes.close();
  }
}
