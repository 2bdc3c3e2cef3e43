/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.SessionFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the rollouts of Codex. */
final class CodexRollout {
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

  private static boolean isPrompt(JsonNode row) {
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

  /** Whether the rollout contains the results of these calls; a prompt where there are none. */
  static boolean contains(Path file, String id, List<String> calls) throws IOException {
    SessionFile rollout = new SessionFile(file);
    if (!rollout.endsWithLine()) {
      return false;
    }
    return calls.isEmpty()
        ? problem(file, id) == null
        : rollout
            .missing(
                new HashSet<>(calls),
                (row, call) ->
                    row.contains("\"call_id\":\"" + call + "\"") && row.contains("_output\""))
            .isEmpty();
  }
}
