/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.SessionFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the rollouts of Codex. */
final class CodexRollout {
  /** In the text of a result, which is a JSON string. */
  private static final Pattern STARTED =
      Pattern.compile("\\{\\\\\"agent_id\\\\\":\\s*\\\\\"([0-9a-f-]+)\\\\\"");

  private CodexRollout() {}

  /** Why the session cannot be resumed; null when it can. */
  static @Nullable String problem(Path file, String id) throws IOException {
    boolean[] named = new boolean[1];
    String problem =
        new SessionFile(file)
            .problem(
                row -> {
                  JsonNode payload = row.path("payload");
                  if (row.path("type").asText().equals("session_meta")) {
                    named[0] |= payload.path("id").asText().equals(id);
                  }
                  return isPrompt(row);
                });
    return problem == null && !named[0] ? "its rollout is of another session" : problem;
  }

  /** Whether the newest turn has no end. */
  static boolean hasOpenTurn(Path file) throws IOException {
    try (BufferedReader rows = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      boolean open = false;
      for (String row = rows.readLine(); row != null; row = rows.readLine()) {
        open = isInTurn(row, open);
      }
      return open;
    }
  }

  /**
   * Whether the session is within a turn after a row.
   *
   * @param before whether it was before the row
   */
  static boolean isInTurn(String row, boolean before) {
    if (!row.contains("\"type\":\"event_msg\"")) {
      return before;
    }
    if (row.contains("\"type\":\"task_started\"")) {
      return true;
    }
    return before
        && !row.contains("\"type\":\"task_complete\"")
        && !row.contains("\"type\":\"turn_aborted\"");
  }

  static boolean isPrompt(JsonNode row) {
    JsonNode payload = row.path("payload");
    if (!row.path("type").asText().equals("response_item")
        || !payload.path("role").asText().equals("user")) {
      return false;
    }
    for (JsonNode part : payload.path("content")) {
      String text = part.path("text").asText();
      if (!part.path("type").asText().equals("input_text")
          || !(text.startsWith("<environment_context>") || text.startsWith("# AGENTS.md"))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the rollouts of a session contain the results of these calls, and the tasks of the
   * sub-agents that they have started; without calls, whether its own contains a prompt.
   *
   * @param rollout of the session
   */
  static boolean contain(Path rollout, String id, List<CodexSubAgent> agents, List<String> calls)
      throws IOException {
    if (!new SessionFile(rollout).endsWithLine()
        || calls.isEmpty() && problem(rollout, id) != null) {
      return false;
    }
    Set<String> started = new HashSet<>();
    Set<String> missing = missing(rollout, new HashSet<>(calls), started);
    for (CodexSubAgent agent : agents) {
      if (!agent.prompted() || !new SessionFile(agent.rollout()).endsWithLine()) {
        return false;
      }
      missing = missing(agent.rollout(), missing, started);
      started.remove(agent.thread());
    }
    return missing.isEmpty() && started.isEmpty();
  }

  /**
   * Returns the calls without a result.
   *
   * @param started receives the ids of sub-agents that the results name
   */
  private static Set<String> missing(Path rollout, Set<String> calls, Set<String> started)
      throws IOException {
    return calls.isEmpty()
        ? calls
        : new SessionFile(rollout)
            .missing(
                calls,
                (row, call) -> {
                  boolean result =
                      row.contains("\"call_id\":\"" + call + "\"") && row.contains("_output\"");
                  if (result) {
                    Matcher agent = STARTED.matcher(row);
                    if (agent.find()) {
                      started.add(agent.group(1));
                    }
                  }
                  return result;
                });
  }
}
