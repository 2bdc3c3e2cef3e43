/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentStart;
import dev.baton.fuzz.JsonLines;
import dev.baton.fuzz.ScratchFolder;
import java.io.IOException;
import java.nio.file.Path;

/** Lines of Claude Code's output, and its transcript as a resume prepares it. */
public final class ClaudeOutputFuzzer {
  private ClaudeOutputFuzzer() {}

  public static void output(byte[] input) {
    ClaudeEventReader reader = new ClaudeEventReader(event -> {});
    for (JsonNode line : JsonLines.read(input)) {
      ClaudeEventReader.started(line);
      reader.system(line);
      reader.assistant(line);
      reader.user(line);
      ClaudeEventReader.usage(line);
      ClaudeEventReader.end(line, new AgentStart.Fresh("go"), true);
    }
  }

  public static void transcript(byte[] input) throws IOException {
    Path file = ScratchFolder.file("transcript.jsonl", input);
    if (ClaudeTranscript.problem(file) == null) {
      ClaudeTranscript.dropContinuations(file);
    }
  }
}
