/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A sub-agent of a session, which works beside it in a thread with a rollout of its own.
 *
 * @param thread its id, with which the session refers to it
 * @param rollout its file
 * @param prompted whether the rollout contains its task
 * @param working whether it is within a turn
 */
record CodexSubAgent(String thread, Path rollout, boolean prompted, boolean working) {
  private static final int SESSIONS_DEPTH = 5;

  /**
   * Finds the sub-agents of a session, also those of its sub-agents, in the order of their start.
   *
   * @param sessions folder of the rollouts
   */
  static List<CodexSubAgent> of(Path sessions, String session) throws IOException {
    List<CodexSubAgent> found = new ArrayList<>();
    if (!Files.isDirectory(sessions)) {
      return found;
    }
    List<Path> rollouts;
    try (Stream<Path> files = Files.walk(sessions, SESSIONS_DEPTH)) {
      // Their names begin with the time of their start.
      rollouts =
          files
              .filter(file -> file.getFileName().toString().endsWith(".jsonl"))
              .sorted(Comparator.comparing(file -> file.getFileName().toString()))
              .toList();
    }
    for (Path rollout : rollouts) {
      CodexSubAgent agent = read(rollout, session);
      if (agent != null) {
        found.add(agent);
      }
    }
    return found;
  }

  private static @Nullable CodexSubAgent read(Path rollout, String session) throws IOException {
    try (BufferedReader rows = Files.newBufferedReader(rollout, StandardCharsets.ISO_8859_1)) {
      String first = rows.readLine();
      if (first == null || !first.contains("\"parent_thread_id\":\"")) {
        return null;
      }
      JsonNode meta = Json.mapper().readTree(first).path("payload");
      if (!meta.path("session_id").asText().equals(session)) {
        return null;
      }
      boolean prompted = false;
      boolean working = false;
      for (String row = rows.readLine(); row != null; row = rows.readLine()) {
        working = CodexRollout.isInTurn(row, working);
        if (!prompted && row.contains("\"role\":\"user\"")) {
          prompted = CodexRollout.isPrompt(Json.mapper().readTree(row));
        }
      }
      return new CodexSubAgent(meta.path("id").asText(), rollout, prompted, working);
    }
  }
}
