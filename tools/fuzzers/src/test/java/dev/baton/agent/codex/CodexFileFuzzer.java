/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.fuzz.JsonLines;
import dev.baton.fuzz.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Rollouts of Codex, and notifications of its app server. */
public final class CodexFileFuzzer {
  private static final String SESSION = "0199";

  private CodexFileFuzzer() {}

  public static void rollout(byte[] input) throws IOException {
    Path folder = ScratchFolder.empty("codex");
    Path file = Files.write(folder.resolve("rollout-1.jsonl"), input);
    boolean damaged = CodexRollout.problem(file, SESSION) != null;
    CodexRollout.hasOpenTurn(file);
    try {
      CodexRollout.contain(
          file, SESSION, CodexSubAgent.of(folder, SESSION), List.of("call_1", "call_2"));
    } catch (JsonProcessingException rejected) {
      if (!damaged) {
        throw rejected;
      }
    }
    CodexRolloutEventReader reader = new CodexRolloutEventReader(new CodexEventReader(event -> {}));
    JsonLines.read(input).forEach(reader::row);
    reader.answer();
  }

  public static void notifications(byte[] input) {
    CodexEventReader reader = new CodexEventReader(event -> {});
    reader.main("t");
    for (JsonNode line : JsonLines.read(input)) {
      reader.notified(line.path("method").asText(), line.path("params"));
    }
  }
}
