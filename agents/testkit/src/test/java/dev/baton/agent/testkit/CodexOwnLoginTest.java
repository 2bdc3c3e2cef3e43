/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.codex.CodexDriver;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

/** The real Codex with its own login. Skipped unless it is installed. */
@Timeout(180)
class CodexOwnLoginTest {
  private final CodexDriver driver = new CodexDriver();

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

  private AgentLaunch launch(ScriptedModelServer model) throws Exception {
    Files.createDirectories(work());
    return new AgentLaunch(
        "work",
        driver.check(InstalledAgents.of(InstalledAgents.codex()), new PlainProcessStarter()),
        new AgentFolders(work(), folder.resolve("home")),
        AgentLaunch.ModelAccess.ownLogin(
            Map.of("CODEX_API_KEY", "sk-own", "OPENAI_BASE_URL", model.baseUrl() + "/v1"), "gpt-5"),
        new AgentStart.Fresh("Do the work."),
        AgentLaunch.AgentTask.PLAIN,
        Map.of("PATH", System.getenv("PATH"), "HOME", folder.resolve("user").toString()));
  }

  @Test
  void shouldRestBeforeEachRequestAndReportEachCallBeforeItRuns() throws Exception {
    try (ScriptedModelServer model =
        ScriptedModelServer.start(ModelScript.byTurn(CodexDeathTest.SCRIPT))) {
      RestRecorder listener = new RestRecorder(model);
      AgentSession session = driver.start(launch(model), new PlainProcessStarter(), listener);
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
              "6 requests, 6 answers, 10 calls of 10, abcdefg",
              "7 requests, 7 answers, 11 calls of 11, abcdefgh");
      assertThat(listener.begins).hasSize(11).startsWith("shell after 1");
      assertThat(listener.events.of(AgentEvent.AnswerReported.class))
          .hasSize(8)
          .allMatch(answer -> answer.model().equals("gpt-5") && answer.parent().isEmpty())
          .allMatch(answer -> answer.usage() != null && answer.usage().total() > 0)
          .doesNotHaveDuplicates();
      assertThat(model.requests())
          .allMatch(request -> "Bearer sk-own".equals(request.header("authorization")));
    }
  }

  @Test
  void shouldKeepTheKeyFromCommands() throws Exception {
    try (ScriptedModelServer model =
        ScriptedModelServer.start(
            ModelScript.byTurn(
                List.of(
                    ScriptedReply.text("look")
                        .with(
                            new ReplyPart.ToolCall(
                                "exec_command",
                                "{\"cmd\":\"(env; cat /proc/$PPID/environ) > out.txt\",\"login\":false}")),
                    ScriptedReply.text("done"))))) {
      RestRecorder listener = new RestRecorder(model);
      AgentSession session = driver.start(launch(model), new PlainProcessStarter(), listener);
      try {
        session.end().get(150, TimeUnit.SECONDS);
      } finally {
        session.kill();
      }

      assertThat(work().resolve("out.txt"))
          .content(StandardCharsets.ISO_8859_1)
          .contains("CODEX_HOME")
          .doesNotContain("sk-own");
    }
  }
}
