/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.FolderWatch;
import dev.baton.agent.process.SessionFileFollower;
import dev.baton.agent.process.SessionFileTail;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows that are appended to the rollout of one session: of a known one, or of the first
 * that appears. For one thread at a time, but for {@link #await} and {@link #close}.
 */
final class CodexRolloutFollower implements SessionFileFollower {
  /** The folders of year, month and day. */
  private static final int DEPTH = 3;

  private final Path sessions;
  private final FolderWatch changes;
  private final Set<Path> known = new HashSet<>();
  private @Nullable SessionFileTail tail;

  private CodexRolloutFollower(Path sessions, FolderWatch changes) {
    this.sessions = sessions;
    this.changes = changes;
  }

  /**
   * Starts at the end of a rollout.
   *
   * @param sessions folder of the rollouts
   */
  static CodexRolloutFollower ofResumed(Path sessions, Path rollout) throws IOException {
    CodexRolloutFollower follower = open(sessions);
    follower.tail = SessionFileTail.fromEnd(rollout);
    return follower;
  }

  /**
   * Starts with the first session that is created from now on.
   *
   * @param sessions folder of the rollouts; created where it is missing
   */
  static CodexRolloutFollower ofNew(Path sessions) throws IOException {
    return open(sessions);
  }

  private static CodexRolloutFollower open(Path sessions) throws IOException {
    Files.createDirectories(sessions);
    CodexRolloutFollower follower =
        new CodexRolloutFollower(sessions, FolderWatch.of(sessions.getFileSystem()));
    try {
      follower.known.addAll(follower.rollouts());
    } catch (IOException | RuntimeException e) {
      follower.close();
      throw e;
    }
    return follower;
  }

  /** Returns the rollouts in the order of their start, and watches their folders. */
  private List<Path> rollouts() throws IOException {
    Set<Path> found = new TreeSet<>();
    collect(sessions, DEPTH, found);
    return List.copyOf(found);
  }

  private void collect(Path folder, int depth, Set<Path> found) throws IOException {
    // Before it is listed, so that nothing is missed that is created during it.
    changes.add(folder);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry)) {
          if (depth > 0) {
            collect(entry, depth - 1, found);
          }
        } else if (entry.toString().endsWith(".jsonl")) {
          found.add(entry);
        }
      }
    }
  }

  @Override
  public boolean await() {
    return changes.await();
  }

  @Override
  public void read(Consumer<JsonNode> rows) throws IOException {
    if (tail == null) {
      tail = find();
    }
    if (tail != null) {
      tail.read(rows);
    }
  }

  private @Nullable SessionFileTail find() throws IOException {
    for (Path rollout : rollouts()) {
      if (!known.contains(rollout) && isOfSession(rollout)) {
        return SessionFileTail.fromStart(rollout);
      }
    }
    return null;
  }

  /** Whether the first row is there and names no session that has started this one. */
  private static boolean isOfSession(Path rollout) throws IOException {
    try (BufferedReader rows = Files.newBufferedReader(rollout, StandardCharsets.ISO_8859_1)) {
      String first = rows.readLine();
      JsonNode row = Json.mapper().readTree(first == null ? "" : first);
      return row.path("type").asText().equals("session_meta")
          && !row.at("/payload/parent_thread_id").isTextual();
    } catch (JsonProcessingException e) {
      return false; // It is not whole yet.
    }
  }

  @Override
  public void close() throws IOException {
    changes.close();
  }
}
