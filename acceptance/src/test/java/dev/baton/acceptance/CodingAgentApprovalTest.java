/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tool calls of the real coding agents that wait for people: the run is parked, the agent is ended,
 * and the resumed one repeats the calls. Skipped where the agents are not installed and npm is not
 * there to install them.
 */
@UsesScriptedModels
class CodingAgentApprovalTest {
  private static final Duration END = Duration.ofSeconds(240);

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Path done;

  /** An agent with its endpoint and the name of its shell. */
  private enum Agent {
    CLAUDE("claude", "claude-sonnet-4-5", "Bash"),
    CODEX("codex", "gpt-5", "shell"),
    OPENCODE("opencode", "gpt-5", "bash"),
    ACP("acp", "claude-sonnet-4-5", "Bash");

    private final String use;
    private final String model;
    private final String shell;

    Agent(String use, String model, String shell) {
      this.use = use;
      this.model = model;
      this.shell = shell;
    }

    private ScriptedModelServer endpoint() {
      return stack.model(
          switch (this) {
            case CLAUDE, ACP -> ScriptedModelStack.Form.MESSAGES;
            case CODEX -> ScriptedModelStack.Form.RESPONSES;
            case OPENCODE -> ScriptedModelStack.Form.CHAT;
          });
    }

    private String workflow() {
      return """
          name: %1$s-approvals
          park_after: 2s
          steps:
            - id: work
              agent:
                use: %1$s
                %4$s
                model: %2$s
                prompt: 'Do it.'
                tools: {ask: ['%3$s(*echo sent*)', '%3$s(*echo never*)']}
            - {id: after, shell: 'cat out.txt'}
          """
          .formatted(use, model, shell, this == ACP ? "command: [claude-agent-acp]" : "");
    }
  }

  @BeforeAll
  static void start() throws Exception {
    done = Files.createTempFile("baton-tool-approvals-", ".txt");
    stack =
        ScriptedModelStack.withAgents(
            Map.of(
                ScriptedModelStack.Form.MESSAGES, request -> reply(Agent.CLAUDE, request),
                ScriptedModelStack.Form.RESPONSES, request -> reply(Agent.CODEX, request),
                ScriptedModelStack.Form.CHAT, request -> reply(Agent.OPENCODE, request)));
    on = stack.on;
    for (Agent agent : Agent.values()) {
      on.api.push(agent.workflow());
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
      Files.deleteIfExists(done);
    }
  }

  private static ScriptedReply reply(Agent agent, ScriptedRequest request) {
    return switch (request.turn()) {
      case 0 -> ScriptedReply.empty().with(shell(agent, "echo kept >> out.txt"));
      case 1 ->
          ScriptedReply.empty()
              .with(shell(agent, "echo sent >> " + done))
              .with(shell(agent, "echo never >> " + done));
      default -> ScriptedReply.text("all done");
    };
  }

  private static ReplyPart shell(Agent agent, String command) {
    return agent == Agent.CODEX
        ? new ReplyPart.ToolCall(
            "exec_command", "{\"cmd\":\"%s\",\"login\":false}".formatted(command))
        : new ReplyPart.ToolCall(
            agent.shell, "{\"command\":\"%s\",\"description\":\"write\"}".formatted(command));
  }

  @ParameterizedTest
  @EnumSource(
      value = Agent.class,
      names = {"CLAUDE", "CODEX"})
  void shouldRunTheApprovedCallOnceAfterParking(Agent agent) throws Exception {
    runTheApprovedCallOnce(agent);
  }

  @ParameterizedTest
  @EnumSource(
      value = Agent.class,
      names = {"OPENCODE", "ACP"})
  @Tag("full")
  void shouldRunTheApprovedCallOnceWithTheOthers(Agent agent) throws Exception {
    runTheApprovedCallOnce(agent);
  }

  private static void runTheApprovedCallOnce(Agent agent) throws Exception {
    Files.writeString(done, "");
    int before = agent.endpoint().requests().size();
    String run =
        on.api.start(agent.use + "-approvals", AcceptanceApiClient.JSON.createObjectNode());
    Await.until(
        "run " + run + " is parked or ends",
        END,
        () -> on.api.run(run).path("parked").isObject() || on.api.run(run).hasNonNull("ended_at"));
    assertThat(on.api.run(run).path("parked").isObject())
        .as(() -> "parked; " + error(run))
        .isTrue();
    Await.until("no process carries it", END, () -> RunnerProcessHandle.of(run).isEmpty());
    assertThat(Files.readString(done)).isEmpty();

    Set<String> answered = new HashSet<>();
    Await.until(
        "both calls are answered",
        END,
        () -> {
          for (JsonNode call : on.api.run(run).path("waiting")) {
            if (answered.add(call.path("approval").asText())) {
              answer(run, call);
            }
          }
          return answered.size() == 2;
        });

    JsonNode end = stack.completed(run, END);
    assertThat(end.path("output").asText().strip()).isEqualTo("kept");
    assertThat(Files.readAllLines(done)).containsExactly("sent");
    assertThat(agent.endpoint().requests().size() - before).as("calls of the model").isEqualTo(3);
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(2);
    assertThat(on.api.events(run, "model_answered"))
        .hasSize(3)
        .noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(on.api.events(run, "agent_session_created"))
        .noneMatch(session -> session.hasNonNull("degraded"));
    if (agent == Agent.CLAUDE) {
      assertThat(agent.endpoint().requests().getLast().body().path("messages").toString())
          .contains("Never do that.");
    }
  }

  private static String error(String run) {
    try {
      return on.api.run(run).path("error").toString();
    } catch (Exception e) {
      return e.toString();
    }
  }

  private static void answer(String run, JsonNode call) throws Exception {
    boolean wanted = call.at("/tool/input/command").asText().contains("echo sent");
    BatonCliInvoker.Result result =
        wanted
            ? BatonCliInvoker.run(on, "approve", run, call.at("/tool/call").asText())
            : BatonCliInvoker.run(
                on, "reject", run, call.at("/tool/call").asText(), "--message", "Never do that.");
    assertThat(result.code()).as("%s", result).isZero();
  }
}
