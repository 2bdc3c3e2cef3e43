/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolRules;
import dev.baton.agent.mcp.McpObserver;
import dev.baton.agent.mcp.McpServerPool;
import dev.baton.agent.mcp.McpServerSpec;
import dev.baton.agent.mcp.McpStateFolder;
import dev.baton.agent.testkit.McpTestServerMain;
import dev.baton.agent.testkit.PlainProcessStarter;
import dev.baton.agent.testkit.RecordingListener;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools of MCP servers in the loop, in both forms of models. */
class LoopMcpTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static final McpObserver SILENT =
      new McpObserver() {
        @Override
        public void noted(String server, String note) {
          // The results have what matters here.
        }

        @Override
        public void printed(String server, String line) {
          // The test server prints that it is ready.
        }
      };

  @ParameterizedTest
  @ValueSource(strings = {"claude-sonnet-4-5", "gpt-5.1"})
  void shouldCallToolsOfServersByTheRules(String model) throws Exception {
    List<ScriptedReply> script =
        List.of(
            ScriptedReply.call("mcp__count__add", "{\"n\": 4}")
                .with(new ReplyPart.ToolCall("mcp__count__wait", "{\"n\": 1}"))
                .with(new ReplyPart.ToolCall("mcp__count__crash", "{\"n\": 1}")),
            ScriptedReply.text("done"));
    McpServerSpec count = server("count", McpTestServerMain.command());
    McpServerSpec broken = server("broken", List.of("/bin/false"));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script));
        McpServerPool pool =
            McpServerPool.start(
                List.of(broken, count),
                new McpStateFolder(rig.home),
                name -> new PlainProcessStarter(),
                SILENT)) {
      ToolRules rules = new ToolRules(List.of(), List.of(), List.of("mcp__count__wait"));
      LoopRig.Running running =
          rig.start(
              new AgentStart.Fresh("count"),
              model,
              new AgentTask("", rules, pool.accesses(), List.of(), ""),
              new RecordingListener());

      AgentEnd end = running.await();

      assertThat(end).isEqualTo(new AgentEnd(AgentEnd.Kind.COMPLETED, "done", 0, ""));
      assertThat(
              running.listener().of(AgentEvent.ToolEnded.class).stream()
                  .map(AgentEvent.ToolEnded::outcome))
          .containsExactly(ToolOutcome.OK, ToolOutcome.DENIED, ToolOutcome.FAILED);
      JsonNode last = rig.requests().getLast().body();
      assertThat(last.path("messages").toString())
          .contains("counter is 4", "rules of this run deny", "ended with exit code 3");
      assertThat(last.path("tools").toString())
          .contains("mcp__count__add", "\"n\":{\"type\":\"integer\"}");
      assertThat(running.listener().of(AgentEvent.Notice.class))
          .singleElement()
          .satisfies(notice -> assertThat(notice.text()).contains("no tools of server 'broken'"));
    }
  }

  private McpServerSpec server(String name, List<String> command) {
    return new McpServerSpec(
        name,
        new McpServerSpec.Program(command, Map.of("PATH", System.getenv("PATH")), folder),
        Duration.ofSeconds(30));
  }
}
