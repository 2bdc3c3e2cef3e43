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
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.CheckedProgram;
import dev.baton.agent.InterruptedCallRules;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.claude.ClaudeDriver;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.gateway.GatewaySession;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The real agents with calls whose begin is recorded first: they wait for it, and a refused call
 * does not run. Skipped unless they are installed.
 */
@Timeout(240)
class WatchedCallProgramTest {
  private static final String UNKNOWN = "The outcome of this call is unknown.";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  /** An agent with the name of its shell. */
  private enum Agent {
    CLAUDE("Bash", "claude-sonnet-4-5"),
    OPENCODE("bash", "gpt-5");

    private final String shell;
    private final String model;

    Agent(String shell, String model) {
      this.shell = shell;
      this.model = model;
    }

    private AgentDriver driver() {
      return this == CLAUDE ? new ClaudeDriver() : new OpenCodeDriver();
    }

    private List<String> program() {
      return this == CLAUDE ? InstalledAgents.claude() : InstalledAgents.opencode();
    }

    private ScriptedReply run(String command) {
      return ScriptedReply.text("now")
          .with(
              new ReplyPart.ToolCall(
                  shell, "{\"command\":\"%s\",\"description\":\"Runs it\"}".formatted(command)));
    }
  }

  @ParameterizedTest
  @EnumSource(Agent.class)
  void shouldHoldACallUntilItMayBegin(Agent agent) throws Exception {
    Path work = Files.createDirectories(folder.resolve("work"));
    AgentDriver driver = agent.driver();
    CheckedProgram program =
        driver.check(InstalledAgents.of(agent.program()), new PlainProcessStarter());
    ToolRules rules =
        new ToolRules(
            List.of(),
            List.of(),
            List.of(),
            new InterruptedCallRules(
                List.of(agent.shell + "(echo free*)"), List.of(), List.of(agent.shell)));
    RecordingListener listener =
        new RecordingListener(
            call ->
                call.input().contains("lost")
                    ? CompletableFuture.completedFuture(new ToolDecision.Deny(UNKNOWN))
                    : CompletableFuture.supplyAsync(
                        ToolDecision.Allow::new,
                        CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS)));
    List<ScriptedReply> script =
        List.of(
            agent.run("echo lost > lost.txt"),
            agent.run("echo run > run.txt"),
            agent.run("echo free > free.txt"),
            ScriptedReply.text("all done"));
    try (AgentRig rig = new AgentRig(ModelScript.byTurn(script));
        GatewaySession gateway = rig.open(driver.family(), 0, point -> {})) {
      AgentSession session =
          driver.start(
              new AgentLaunch(
                  "work",
                  program,
                  new AgentFolders(work, folder.resolve("home")),
                  new AgentLaunch.ModelAccess(
                      rig.gateway().baseUrl(), gateway.token(), agent.model),
                  new AgentStart.Fresh("go"),
                  new AgentLaunch.AgentTask("", rules, List.of(), List.of(), ""),
                  Map.of("PATH", System.getenv("PATH"), "HOME", folder.resolve("user").toString())),
              new PlainProcessStarter(),
              listener);
      try {
        AgentEnd end = session.end().get(180, TimeUnit.SECONDS);
        assertThat(end.kind()).as(end.message()).isEqualTo(AgentEnd.Kind.COMPLETED);
      } finally {
        session.kill();
      }

      assertThat(DeathHarness.files(work)).containsOnlyKeys("run.txt", "free.txt");
      assertThat(listener.approvals()).as("no person is needed").isEmpty();
      assertThat(listener.begun())
          .extracting(ToolApproval::mainInput)
          .containsExactly("echo lost > lost.txt", "echo run > run.txt");
      assertThat(listener.begun()).extracting(ToolApproval::callId).doesNotContain("");
      assertThat(rig.endpoint.requests().getLast().body().toString()).contains(UNKNOWN);
    }
  }
}
