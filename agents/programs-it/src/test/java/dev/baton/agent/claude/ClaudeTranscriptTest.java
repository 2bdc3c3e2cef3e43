/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transcripts in the form of Claude Code 2.1.332. */
class ClaudeTranscriptTest {
  private static final String RESULT =
      "{\"type\":\"user\",\"uuid\":\"u1\",\"message\":{\"content\":[{\"type\":\"tool_result\"}]}}";
  private static final String ATTACHMENT =
      "{\"type\":\"attachment\",\"uuid\":\"u3\",\"parentUuid\":\"u2\"}";
  private static final String REQUEST = "{\"type\":\"api-request\",\"id\":\"r1\"}";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static String continued(boolean meta) {
    return "{\"type\":\"user\",\"uuid\":\"u2\",\"isMeta\":%s,\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}}"
        .formatted(meta, ClaudeTranscript.CONTINUE);
  }

  private List<String> left(String... rows) throws IOException {
    Path file = folder.resolve("session.jsonl");
    Files.write(file, List.of(rows));
    ClaudeTranscript.dropContinuations(file);
    return Files.readAllLines(file);
  }

  @Test
  void shouldDropTheRowsWithWhichResumesHaveContinuedTheTurn() throws Exception {
    assertThat(left(RESULT, continued(true), REQUEST)).containsExactly(RESULT, REQUEST);
    assertThat(left(RESULT, continued(true), REQUEST, continued(true)))
        .containsExactly(RESULT, REQUEST);
  }

  @Test
  void shouldKeepRowsOfTheConversation() throws Exception {
    assertThat(left(RESULT, continued(true), ATTACHMENT))
        .as("the agent continues a turn that ends with an attachment")
        .hasSize(3);
    assertThat(left(RESULT, continued(false))).as("a prompt").hasSize(2);
    assertThat(left(continued(true), RESULT)).as("not at the end").hasSize(2);
  }
}
