/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.claude.ClaudeDriver;
import dev.baton.agent.codex.CodexDriver;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.gateway.GatewaySession;
import dev.baton.gateway.boundary.BoundaryCapture;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Forks sessions of the real agents at a boundary. Skipped unless they are installed. */
@Timeout(180)
class ForkProgramTest {
  private static final String MORE = "Take the other way from here.";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  void shouldForkClaudeCode() throws Exception {
    check(
        new ClaudeDriver(),
        InstalledAgents.claude(),
        "claude-sonnet-4-5",
        call("Bash", "{\"command\":\"echo one\",\"description\":\"Writes it\"}"));
  }

  @Test
  void shouldForkCodex() throws Exception {
    check(
        new CodexDriver(),
        InstalledAgents.codex(),
        "gpt-5",
        call("exec_command", "{\"cmd\":\"echo one\",\"login\":false}"));
  }

  @Test
  void shouldForkOpenCode() throws Exception {
    check(
        new OpenCodeDriver(),
        InstalledAgents.opencode(),
        "gpt-5",
        call("bash", "{\"command\":\"echo one\",\"description\":\"Writes it\"}"));
  }

  private static ScriptedReply call(String tool, String input) {
    return ScriptedReply.text("now").with(new ReplyPart.ToolCall(tool, input));
  }

  private void check(AgentDriver driver, List<String> command, String model, ScriptedReply tool)
      throws Exception {
    CheckedProgram program = driver.check(InstalledAgents.of(command), new PlainProcessStarter());
    List<ScriptedReply> script = List.of(tool, tool, ScriptedReply.text("all done"));
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(script))) {
      Path state = folder.resolve("state");
      RecordingListener parent = new RecordingListener();
      Path home = folder.resolve("home");
      run(
          driver,
          launch(program, home, model, new AgentStart.Fresh("go")),
          rig,
          parent,
          point -> {
            if (point.number() == 2) {
              assertThat(
                      driver.settled(
                          home, session(parent), point.lastCalls(), Duration.ofSeconds(5)))
                  .isTrue();
              InstalledAgents.copy(home, state, driver.stateFiles()::contains);
            }
          });

      checkFork(driver, program, model, rig, session(parent), null);
      checkFork(driver, program, model, rig, session(parent), MORE);
    }
  }

  private void checkFork(
      AgentDriver driver,
      CheckedProgram program,
      String model,
      AgentRig rig,
      String parent,
      @org.jspecify.annotations.Nullable String prompt)
      throws Exception {
    int before = rig.endpoint.requests().size();
    Path home = folder.resolve(prompt == null ? "within" : "with-prompt");
    InstalledAgents.copy(folder.resolve("state"), home, InstalledAgents.ALL);
    driver.relocate(new AgentFolders(work(), home), work(), program, new PlainProcessStarter());
    RecordingListener listener = new RecordingListener();
    AgentStart start = new AgentStart.Fork(parent, UUID.randomUUID().toString(), prompt);

    AgentEnd end = run(driver, launch(program, home, model, start), rig, listener, point -> {});

    List<ScriptedRequest> requests =
        rig.endpoint.requests().subList(before, rig.endpoint.requests().size());
    System.out.printf(
        "%s, prompt %s: %s, %d requests, session %s of %s%n",
        driver.use(), prompt, end, requests.size(), session(listener), parent);
    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
    assertThat(session(listener)).isNotEqualTo(parent);
    assertThat(requests).as("the two answers after the boundary").hasSize(2);
    assertThat(requests)
        .allSatisfy(
            request -> {
              assertThat(request.body().toString()).contains("one");
              assertThat(request.body().toString().contains(MORE)).isEqualTo(prompt != null);
            });
    assertThat(requests.getFirst().turn()).as("continues the conversation").isEqualTo(1);
  }

  private static String session(RecordingListener listener) {
    return listener.of(AgentEvent.SessionStarted.class).getFirst().sessionId();
  }

  private Path work() {
    return folder.resolve("work");
  }

  private AgentLaunch launch(CheckedProgram program, Path home, String model, AgentStart start) {
    return new AgentLaunch(
        "work",
        program,
        new AgentFolders(work(), home),
        new AgentLaunch.ModelAccess(java.net.URI.create("http://127.0.0.1:1"), "", model),
        start,
        AgentLaunch.AgentTask.PLAIN,
        Map.of("PATH", System.getenv("PATH"), "HOME", folder.resolve("user").toString()));
  }

  private AgentEnd run(
      AgentDriver driver,
      AgentLaunch launch,
      AgentRig rig,
      RecordingListener listener,
      BoundaryCapture capture)
      throws Exception {
    Files.createDirectories(work());
    try (GatewaySession gateway = rig.open(driver.family(), rig.journaled(), capture)) {
      AgentLaunch open =
          launch.withModel(
              new AgentLaunch.ModelAccess(
                  rig.gateway().baseUrl(), gateway.token(), launch.model().model()));
      AgentSession session = driver.start(open, new PlainProcessStarter(), listener);
      try {
        return session.end().get(120, TimeUnit.SECONDS);
      } finally {
        session.kill();
      }
    }
  }
}
