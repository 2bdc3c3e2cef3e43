/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real OpenCode with its own login. Skipped unless it is installed. */
@Timeout(180)
class OpenCodeOwnLoginTest {
  private static final String MODEL = "anthropic/claude-sonnet-4-5";

  private final OpenCodeDriver driver = new OpenCodeDriver();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  /** Keeps what the endpoint and the folder have at each rest and at each begin. */
  private final class RestRecorder implements AgentListener {
    private final RecordingListener events = new RecordingListener();
    private final ScriptedModelServer model;
    private final List<String> rests = new ArrayList<>();
    private final List<String> begins = new ArrayList<>();

    RestRecorder(ScriptedModelServer model) {
      this.model = model;
    }

    @Override
    public void happened(AgentEvent event) {
      events.happened(event);
    }

    @Override
    public CompletionStage<ToolDecision> decide(ToolApproval approval) {
      return events.decide(approval);
    }

    @Override
    public CompletionStage<ToolDecision> begin(ToolApproval call) {
      begins.add(call.tool() + " after " + events.of(AgentEvent.ToolBegun.class).size());
      return CompletableFuture.completedFuture(new ToolDecision.Allow());
    }

    @Override
    public CompletionStage<Void> rest() {
      rests.add(
          "%d requests, %d answers, %d calls of %d, %s"
              .formatted(
                  model.requests().size(),
                  events.of(AgentEvent.AnswerReported.class).size(),
                  events.of(AgentEvent.ToolEnded.class).size(),
                  events.of(AgentEvent.ToolBegun.class).size(),
                  words()));
      return CompletableFuture.completedFuture(null);
    }

    private String words() {
      try {
        Path file = work().resolve("out.txt");
        return Files.exists(file)
            ? String.join("", Files.readAllLines(file).stream().sorted().toList())
            : "-";
      } catch (IOException e) {
        return e.toString();
      }
    }
  }

  private Path work() {
    return folder.resolve("work");
  }

  private AgentLaunch launch(ScriptedModelServer model, String name) throws Exception {
    Files.createDirectories(work());
    return new AgentLaunch(
        "work",
        driver.check(InstalledAgents.of(InstalledAgents.opencode()), new PlainProcessStarter()),
        new AgentFolders(work(), folder.resolve("home")),
        AgentLaunch.ModelAccess.ownLogin(
            Map.of("ANTHROPIC_API_KEY", "sk-own", "ANTHROPIC_BASE_URL", model.baseUrl() + "/v1"),
            name),
        new AgentStart.Fresh("Do the work."),
        AgentLaunch.AgentTask.PLAIN,
        Map.of("PATH", System.getenv("PATH"), "HOME", folder.resolve("user").toString()));
  }

  @Test
  void shouldRestBeforeEachRequestAndReportEachCallBeforeItRuns() throws Exception {
    try (ScriptedModelServer model =
        ScriptedModelServer.start(ModelScript.byTurn(OpenCodeScript.MESSAGES))) {
      AgentLaunch launch = launch(model, MODEL);
      Files.writeString(work().resolve("AGENTS.md"), "Speak of penguins.");
      Path plugins = Files.createDirectories(work().resolve(".opencode/plugin"));
      Files.writeString(
          plugins.resolve("x.js"),
          "export const X = async () => { await Bun.write('%s', 'x'); return {} }\n"
              .formatted(work().resolve("plugin.txt")));
      RestRecorder listener = new RestRecorder(model);
      AgentSession session = driver.start(launch, new PlainProcessStarter(), listener);
      AgentEnd end;
      try {
        end = session.end().get(150, TimeUnit.SECONDS);
      } finally {
        session.kill();
      }

      assertThat(end.kind())
          .as(() -> end + " " + listener.events.events())
          .isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(listener.rests)
          .containsExactly(
              "0 requests, 0 answers, 0 calls of 0, -",
              "1 requests, 1 answers, 1 calls of 1, a",
              "2 requests, 2 answers, 3 calls of 3, abc",
              "3 requests, 3 answers, 4 calls of 4, abc",
              "4 requests, 4 answers, 6 calls of 6, abcd",
              "5 requests, 5 answers, 7 calls of 7, abcd",
              "6 requests, 6 answers, 8 calls of 8, abcde");
      assertThat(listener.begins).hasSize(8).startsWith("bash after 1").contains("edit after 5");
      assertThat(listener.events.of(AgentEvent.AnswerReported.class))
          .hasSize(7)
          .allMatch(answer -> answer.model().equals("claude-sonnet-4-5"))
          .allMatch(answer -> answer.usage() != null && answer.usage().total() > 0)
          .extracting(AgentEvent.AnswerReported::tools)
          .startsWith(List.of("bash"), List.of("bash", "bash"), List.of("write"));
      assertThat(model.requests().getFirst().header("x-api-key")).isEqualTo("sk-own");
      assertThat(model.requests().getFirst().body().toString()).contains("Speak of penguins.");
      assertThat(work().resolve("plugin.txt")).doesNotExist();
    }
  }

  @Test
  void shouldRefuseAModelWithoutItsProvider() throws Exception {
    try (ScriptedModelServer model =
        ScriptedModelServer.start(ModelScript.byTurn(OpenCodeScript.MESSAGES))) {
      AgentLaunch launch = launch(model, "claude-sonnet-4-5");

      assertThatThrownBy(
              () -> driver.start(launch, new PlainProcessStarter(), new RecordingListener()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("'claude-sonnet-4-5'", "PROVIDER/MODEL");
    }
  }
}
