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
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.gateway.GatewaySession;
import dev.baton.gateway.boundary.BoundaryCapture;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real OpenCode with damaged state, rules and budgets. Skipped unless it is installed. */
@Timeout(180)
class OpenCodeProgramTest {
  private static final List<ScriptedReply> SCRIPT =
      List.of(bash("echo a >> out.txt"), bash("echo b >> out.txt"), ScriptedReply.text("all done"));

  private final OpenCodeDriver driver = new OpenCodeDriver();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @SuppressWarnings("NullAway.Init")
  private CheckedProgram program;

  private static ScriptedReply bash(String command) {
    return ScriptedReply.text("now")
        .with(
            new ReplyPart.ToolCall(
                "bash", "{\"command\":\"%s\",\"description\":\"Runs it\"}".formatted(command)));
  }

  @BeforeEach
  void find() throws Exception {
    program =
        driver.check(InstalledAgents.of(InstalledAgents.opencode()), new PlainProcessStarter());
    Files.createDirectories(work());
  }

  private Path work() {
    return folder.resolve("work");
  }

  private AgentLaunch launch(AgentRig rig, GatewaySession session, Path home, AgentStart start) {
    return new AgentLaunch(
        "work",
        program,
        new AgentFolders(work(), home),
        new AgentLaunch.ModelAccess(rig.gateway().baseUrl(), session.token(), "gpt-5"),
        start,
        AgentLaunch.AgentTask.PLAIN,
        Map.of("PATH", System.getenv("PATH"), "HOME", folder.resolve("user").toString()));
  }

  private AgentEnd run(
      AgentRig rig, AgentLaunch.AgentTask task, Path home, AgentStart start, RecordingListener to)
      throws Exception {
    return run(rig, task, home, start, to, point -> {});
  }

  private AgentEnd run(
      AgentRig rig,
      AgentLaunch.AgentTask task,
      Path home,
      AgentStart start,
      RecordingListener listener,
      BoundaryCapture capture)
      throws Exception {
    try (GatewaySession gateway = rig.open(driver.family(), rig.journaled(), capture)) {
      AgentLaunch plain = launch(rig, gateway, home, start);
      AgentLaunch launch =
          new AgentLaunch(
              plain.step(),
              plain.program(),
              plain.folders(),
              plain.model(),
              start,
              task,
              plain.environment());
      AgentSession session = driver.start(launch, new PlainProcessStarter(), listener);
      try {
        return session.end().get(120, TimeUnit.SECONDS);
      } finally {
        session.kill();
      }
    }
  }

  /** Runs a session to its second boundary and keeps its state; returns its id. */
  private String cut(AgentRig rig, Path state) throws Exception {
    RecordingListener listener = new RecordingListener();
    run(
        rig,
        AgentLaunch.AgentTask.PLAIN,
        folder.resolve("home"),
        new AgentStart.Fresh("go"),
        listener,
        point -> {
          if (point.number() == 2) {
            Path home = folder.resolve("home");
            assertThat(
                    driver.settled(
                        home,
                        listener.of(AgentEvent.SessionStarted.class).getFirst().sessionId(),
                        point.lastCalls(),
                        Duration.ofSeconds(5)))
                .isTrue();
            InstalledAgents.copy(home, state, driver.stateFiles()::contains);
          }
        });
    return listener.of(AgentEvent.SessionStarted.class).getFirst().sessionId();
  }

  private static Path database(Path home) {
    return home.resolve("opencode/data/opencode/opencode.db");
  }

  private static Path log(Path home) {
    return home.resolve("opencode/data/opencode/opencode.db-wal");
  }

  @Test
  void shouldRefuseADamagedDatabaseWithoutACallOfTheModel() throws Exception {
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(SCRIPT))) {
      Path state = folder.resolve("state");
      String id = cut(rig, state);
      int calls = rig.endpoint.requests().size();

      Path withoutLog = folder.resolve("without-log");
      InstalledAgents.copy(state, withoutLog, InstalledAgents.ALL);
      Files.delete(log(withoutLog));
      Path torn = folder.resolve("torn");
      InstalledAgents.copy(state, torn, InstalledAgents.ALL);
      try (var content = Files.newByteChannel(log(torn), StandardOpenOption.WRITE)) {
        content.truncate(Files.size(log(torn)) * 2 / 3);
      }
      Path garbage = folder.resolve("garbage");
      InstalledAgents.copy(state, garbage, InstalledAgents.ALL);
      Files.delete(log(garbage));
      Files.write(
          database(garbage),
          ("SQLite format 3\0" + "garbage ".repeat(5_000)).getBytes(StandardCharsets.ISO_8859_1));

      for (Path home : List.of(withoutLog, torn, garbage)) {
        AgentEnd end =
            run(
                rig,
                AgentLaunch.AgentTask.PLAIN,
                home,
                new AgentStart.Resume(id),
                new RecordingListener());
        System.out.println("opencode: " + home.getFileName() + ": " + end);
        assertThat(end.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
        assertThat(end.message()).isNotBlank();
      }
      assertThat(rig.endpoint.requests()).hasSize(calls);

      RecordingListener listener = new RecordingListener();
      AgentEnd whole =
          run(rig, AgentLaunch.AgentTask.PLAIN, state, new AgentStart.Resume(id), listener);
      assertThat(whole.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(listener.of(AgentEvent.SessionStarted.class).getFirst().sessionId()).isEqualTo(id);
    }
  }

  @Test
  void shouldEndAtAUsedUpBudget() throws Exception {
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(SCRIPT))) {
      rig.limit(new SpendBudget(null, null, 1L, null));

      AgentEnd end =
          run(
              rig,
              AgentLaunch.AgentTask.PLAIN,
              folder.resolve("home"),
              new AgentStart.Fresh("go"),
              new RecordingListener());

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.BUDGET);
      assertThat(end.message()).contains("turns");
      assertThat(rig.endpoint.requests()).hasSize(1);
    }
  }

  @Test
  void shouldApplyRulesAndDecisions() throws Exception {
    List<ScriptedReply> script =
        List.of(
            bash("rm -rf out.txt"),
            bash("echo approved > approved.txt"),
            bash("echo no > no.txt"),
            ScriptedReply.text("all done"));
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(script))) {
      RecordingListener listener =
          new RecordingListener(
              approval ->
                  CompletableFuture.completedFuture(
                      approval.input().contains("approved.txt")
                          ? new ToolDecision.Allow()
                          : new ToolDecision.Deny("not today")));
      ToolRules rules = new ToolRules(List.of(), List.of("bash(echo*)"), List.of("bash(rm *)"));

      AgentEnd end =
          run(
              rig,
              new AgentLaunch.AgentTask("", rules, List.of(), List.of(), ""),
              folder.resolve("home"),
              new AgentStart.Fresh("go"),
              listener);

      assertThat(end.kind()).as(end.message()).isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(listener.approvals()).hasSize(2).allMatch(asked -> asked.tool().equals("bash"));
      assertThat(listener.of(AgentEvent.ToolEnded.class))
          .extracting(AgentEvent.ToolEnded::outcome)
          .containsExactly(
              AgentEvent.ToolOutcome.DENIED,
              AgentEvent.ToolOutcome.OK,
              AgentEvent.ToolOutcome.DENIED);
      assertThat(DeathHarness.files(work())).containsOnlyKeys("approved.txt");
      assertThat(rig.endpoint.requests().getLast().body().toString()).contains("not today");
    }
  }

  @Test
  void shouldGiveTheResultInTheShapeOfASchema() throws Exception {
    List<ScriptedReply> script =
        List.of(
            ScriptedReply.empty()
                .with(new ReplyPart.ToolCall("StructuredOutput", "{\"fixed\":true}")),
            ScriptedReply.text("all done"));
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(script))) {
      AgentEnd end =
          run(
              rig,
              new AgentLaunch.AgentTask(
                  "",
                  ToolRules.ALL,
                  List.of(),
                  List.of(),
                  "{\"type\":\"object\",\"properties\":{\"fixed\":{\"type\":\"boolean\"}}}"),
              folder.resolve("home"),
              new AgentStart.Fresh("go"),
              new RecordingListener());

      assertThat(end.kind()).as(end.message()).isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(end.text()).isEqualTo("{\"fixed\":true}");
    }
  }

  @Test
  void shouldStopAtAnInterrupt() throws Exception {
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(List.of(bash("sleep 60"))));
        GatewaySession gateway = rig.open(driver.family(), 0, point -> {})) {
      RecordingListener listener = new RecordingListener();
      AgentSession session =
          driver.start(
              launch(rig, gateway, folder.resolve("home"), new AgentStart.Fresh("go")),
              new PlainProcessStarter(),
              listener);
      assertThat(listener.await(AgentEvent.ToolBegun.class::isInstance)).isTrue();

      session.interrupt();

      assertThat(session.end().get(20, TimeUnit.SECONDS).kind()).isEqualTo(AgentEnd.Kind.KILLED);
    }
  }
}
