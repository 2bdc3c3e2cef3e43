/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentDriver;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.AgentFolders;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentLaunch.ModelAccess;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolRules;
import dev.baton.agent.acp.AcpDriver;
import dev.baton.agent.claude.ClaudeDriver;
import dev.baton.agent.codex.CodexDriver;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.agent.testkit.AgentRig;
import dev.baton.agent.testkit.DeathHarness;
import dev.baton.agent.testkit.InstalledAgents;
import dev.baton.agent.testkit.McpTestServerMain;
import dev.baton.agent.testkit.PlainProcessStarter;
import dev.baton.agent.testkit.RecordingListener;
import dev.baton.gateway.GatewaySession;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedReply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real agents that call a tool of a server through the proxy. Skipped unless installed. */
class AgentMcpTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  @Timeout(120)
  void shouldServeClaudeCode() throws Exception {
    check(new ClaudeDriver(), InstalledAgents.claude(), "mcp__count__add");
  }

  @Test
  @Timeout(120)
  void shouldServeCodex() throws Exception {
    check(new CodexDriver(), InstalledAgents.codex(), "mcp__count__add");
  }

  @Test
  @Timeout(180)
  void shouldServeOpenCode() throws Exception {
    check(new OpenCodeDriver(), InstalledAgents.opencode(), "count_add");
  }

  @Test
  @Timeout(180)
  void shouldServeAgentsThatSpeakAcp() throws Exception {
    check(new AcpDriver(), InstalledAgents.acp(), "mcp__count__add");
  }

  private void check(AgentDriver driver, List<String> command, String tool) throws Exception {
    Path workspace = Files.createDirectories(folder.resolve("work"));
    Path home = Files.createDirectories(folder.resolve("home"));
    McpRig servers = new McpRig(home);
    ModelScript script =
        ModelScript.byTurn(
            List.of(ScriptedReply.call(tool, "{\"n\": 4}"), ScriptedReply.text("all done")));
    RecordingListener listener = new RecordingListener();
    try (AgentRig rig = new AgentRig(script);
        McpServerPool pool =
            servers.start(servers.program("count", McpTestServerMain.command("checkpoint")));
        GatewaySession gateway = rig.open(driver.family(), 0, point -> {})) {
      AgentLaunch launch =
          new AgentLaunch(
              "work",
              driver.check(InstalledAgents.of(command), new PlainProcessStarter()),
              new AgentFolders(workspace, home),
              new ModelAccess(rig.gateway().baseUrl(), gateway.token(), DeathHarness.MODEL),
              new AgentStart.Fresh("Count to four with your tool, and say so."),
              new AgentTask("", ToolRules.ALL, pool.accesses(), List.of(), ""),
              Map.of("PATH", System.getenv("PATH"), "HOME", folder.toString()));
      AgentSession session = driver.start(launch, new PlainProcessStarter(), listener);
      AgentEnd end;
      try {
        end = session.end().get(100, TimeUnit.SECONDS);
      } finally {
        session.kill();
      }

      assertThat(end.text()).as(end.message()).isEqualTo("all done");
      assertThat(listener.of(AgentEvent.ToolEnded.class))
          .anySatisfy(
              ended -> {
                assertThat(ended.tool()).contains("count").contains("add");
                assertThat(ended.outcome()).isEqualTo(ToolOutcome.OK);
              });
      assertThat(rig.endpoint.requests())
          .anySatisfy(request -> assertThat(request.body().toString()).contains("counter is 4"));
      assertThat(pool.capture().get("count")).isEmpty();
      assertThat(home.resolve(".baton-mcp/count/state.json"))
          .content()
          .contains("{\\\"counter\\\":4}");
    }
  }
}
