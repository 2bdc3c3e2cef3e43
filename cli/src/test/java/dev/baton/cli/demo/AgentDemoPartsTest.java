/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the parts of the agent's demo that need no stack. */
class AgentDemoPartsTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static int test(Path repository) throws IOException, InterruptedException {
    return new ProcessBuilder("sh", "test.sh")
        .directory(repository.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  private static JsonNode edit() throws IOException {
    for (ScriptedReply reply : AgentDemoModel.script()) {
      for (ReplyPart part : reply.parts()) {
        if (part instanceof ReplyPart.ToolCall(String name, String input)
            && name.equals("edit_file")) {
          return Json.mapper().readTree(input);
        }
      }
    }
    throw new AssertionError("the script edits nothing");
  }

  @Test
  void shouldFixTheProgram() throws Exception {
    Path repository = AgentDemoRepository.create(folder);
    assertThat(test(repository)).isEqualTo(1);
    Path program = repository.resolve("leap.sh");
    JsonNode edit = edit();
    String before = Files.readString(program);
    assertThat(before).contains(edit.path("old_text").asText());

    Files.writeString(
        program, before.replace(edit.path("old_text").asText(), edit.path("new_text").asText()));

    assertThat(test(repository)).isZero();
    assertThat(repository.resolve(".git")).isDirectory();
  }

  @Test
  void shouldDescribeTheWorkflowOfEachProgram() throws Exception {
    String example = Files.readString(Path.of("..", "examples", "agent-loop.yaml"));
    for (DemoAgent agent : DemoAgent.values()) {
      if (agent.isProgram()) {
        String workflow = agent.workflow(example);

        assertThat(workflow)
            .contains("use: " + agent.use() + "\n      version: \"" + agent.version() + "\"\n")
            .doesNotContain("loop", "shell(git");
        assertThat(
                WorkflowParser.parse(
                    workflow.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML))
            .isInstanceOf(WorkflowParseResult.Valid.class);
      }
    }
  }

  @Test
  void shouldNumberCallsInsteadOfTheirIds() throws Exception {
    try (AgentDemoModel model = new AgentDemoModel(DemoAgent.LOOP)) {
      URI url =
          URI.create(
              Objects.requireNonNull(model.settings().get("BATON_MODELS_ANTHROPIC_MESSAGES_URL"))
                  + "/v1/messages");
      String body =
          """
          {"model": "m", "messages": [{"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "%1$s", "name": "n", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "%1$s", "content": "r"}]}]}
          """;
      JsonNode first = null;
      for (String id : new String[] {"toolu_1_1", "toolu_9_1"}) {
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(url)
                    .POST(HttpRequest.BodyPublishers.ofString(body.formatted(id)))
                    .build(),
                HttpResponse.BodyHandlers.discarding());
        JsonNode conversation = model.conversation();
        assertThat(conversation.toString()).contains("call-1").doesNotContain(id);
        assertThat(first == null || first.equals(conversation)).isTrue();
        first = conversation;
      }
      assertThat(model.calls()).isEqualTo(2);
    }
  }
}
