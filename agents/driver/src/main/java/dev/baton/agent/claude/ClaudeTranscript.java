/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.SessionFile;
import dev.baton.agent.process.StateText;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the transcripts of Claude Code. */
public final class ClaudeTranscript {
  /** The words with which the agent itself continues a turn: keys of requests leave them out. */
  static final String CONTINUE = "Continue from where you left off.";

  private ClaudeTranscript() {}

  /** Why the session cannot be resumed; null when it can. */
  public static @Nullable String problem(Path file) throws IOException {
    return new SessionFile(file).problem(ClaudeTranscript::isPrompt);
  }

  /** Results are rows of the user too: a transcript that begins with one has lost its beginning. */
  private static boolean isPrompt(JsonNode row) {
    JsonNode content = row.path("message").path("content");
    return row.path("type").asText().equals("user")
        && !content.path(0).path("type").asText().equals("tool_result");
  }

  /**
   * Removes the rows at the end with which earlier resumes have continued the turn. Claude Code
   * does not count a turn as interrupted that ends with such a row, and waits for a prompt.
   */
  static void dropContinuations(Path file) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    boolean changed = false;
    for (int i = lines.size() - 1; i >= 0; i--) {
      JsonNode row = Json.mapper().readTree(lines.get(i));
      if (!row.hasNonNull("uuid")) {
        continue; // Not a part of the conversation.
      }
      if (!isContinuation(row)) {
        break;
      }
      lines.remove(i);
      changed = true;
    }
    if (changed) {
      StateText.write(file, String.join("\n", lines) + "\n");
    }
  }

  private static boolean isContinuation(JsonNode row) {
    return row.path("type").asText().equals("user")
        && row.path("isMeta").asBoolean()
        && row.path("message").path("content").toString().contains(CONTINUE);
  }

  /**
   * Whether the transcripts contain the results of these calls; where there are none, whether the
   * conversation ends with a prompt.
   */
  public static boolean contains(Path file, Path subAgents, List<String> calls) throws IOException {
    SessionFile main = new SessionFile(file);
    if (!main.endsWithLine()) {
      return false;
    }
    if (calls.isEmpty()) {
      return endsWithPrompt(main);
    }
    Set<String> left = main.missing(new HashSet<>(calls), ClaudeTranscript::isResult);
    if (!left.isEmpty() && Files.isDirectory(subAgents)) {
      List<Path> others = new ArrayList<>();
      try (Stream<Path> files = Files.list(subAgents)) {
        files.filter(path -> path.toString().endsWith(".jsonl")).forEach(others::add);
      }
      for (Path other : others) {
        left = new SessionFile(other).missing(left, ClaudeTranscript::isResult);
      }
    }
    return left.isEmpty();
  }

  /** Whether the newest row of the user or the agent is one of the user. */
  private static boolean endsWithPrompt(SessionFile file) throws IOException {
    AtomicBoolean newest = new AtomicBoolean();
    String problem =
        file.problem(
            row -> {
              boolean user = row.path("type").asText().equals("user");
              if (isOfTheSession(row)) {
                newest.set(user);
              }
              return user;
            });
    return problem == null && newest.get();
  }

  /** Whether a row is a part of the session's own conversation, said by the user or the agent. */
  static boolean isOfTheSession(JsonNode row) {
    String type = row.path("type").asText();
    return (type.equals("user") || type.equals("assistant"))
        && !row.path("isSidechain").asBoolean(false);
  }

  private static boolean isResult(String row, String id) {
    return row.contains("\"tool_use_id\":\"" + id + "\"") && row.contains("\"tool_result\"");
  }
}
