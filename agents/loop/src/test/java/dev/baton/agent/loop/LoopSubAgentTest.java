/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolRules;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.testkit.RecordingListener;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sub-agents of the loop. */
class LoopSubAgentTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static ScriptedReply shell(String command) {
    return ScriptedReply.call("shell", "{\"command\":\"" + command + "\"}");
  }

  private static ScriptedReply child(String prompt, String more) {
    return ScriptedReply.call("sub_agent", "{\"prompt\":\"" + prompt + "\"" + more + "}");
  }

  private static boolean isOf(ScriptedRequest request, String prompt) {
    for (var message : request.body().path("messages")) {
      if (message.path("role").asText().equals("user")) {
        return message.path("content").toString().contains(prompt);
      }
    }
    return false;
  }

  /** The step's session starts one sub-agent, which works with a plan and a command. */
  private static ModelScript script() {
    List<ScriptedReply> parent =
        List.of(
            child("CHILD TASK", ", \"tools\": [\"shell\"]"),
            shell("echo parent >> out.txt"),
            ScriptedReply.text("all"));
    List<ScriptedReply> child =
        List.of(
            ScriptedReply.call("planning_setup_plan", "{\"objective\":\"part\",\"steps\":[\"a\"]}")
                .with(new ReplyPart.ToolCall("read_file", "{\"path\":\".\"}")),
            shell("echo child >> out.txt"),
            ScriptedReply.text("found it"));
    return request ->
        (isOf(request, "CHILD TASK") ? child : parent).get(Math.min(request.turn(), 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude-sonnet-4-5", "gpt-5.1"})
  void shouldRunASessionOfItsOwn(String model) throws Exception {
    try (LoopRig rig = new LoopRig(folder, script())) {
      LoopRig.Running running =
          rig.start(
              new AgentStart.Fresh("go"),
              model,
              new AgentTask(
                  "Be brief.", ToolRules.ALL, List.of(), List.of(), "{\"type\":\"string\"}"),
              new RecordingListener());

      assertThat(running.await().text()).isEqualTo("all");

      assertThat(rig.workspace.resolve("out.txt")).hasContent("child\nparent\n");
      assertThat(rig.requests()).hasSize(6);
      ScriptedRequest first = rig.requests().get(1);
      assertThat(first.body().toString())
          .contains("CHILD TASK", "You work for another agent", "Be brief.")
          .doesNotContain("JSON Schema", "\"write_file\"");
      assertThat(rig.requests().get(2).body().toString()).contains("'read_file' is not a tool");
      assertThat(rig.requests().get(4).body().toString()).contains("found it");
      String id = running.session().id();
      RecordingListener events = running.listener();
      AgentEvent.SubAgentStarted started = events.of(AgentEvent.SubAgentStarted.class).getFirst();
      assertThat(started.parent()).isEqualTo(id);
      assertThat(events.of(AgentEvent.SubAgentEnded.class))
          .containsExactly(new AgentEvent.SubAgentEnded(started.id(), ToolOutcome.OK));
      assertThat(events.of(AgentEvent.ToolBegun.class).stream().map(AgentEvent.ToolBegun::parent))
          .containsExactly("", started.id(), started.id(), started.id(), "");
      assertThat(events.of(AgentEvent.PlanUpdated.class))
          .as("the plan of a sub-agent is not the plan of the step")
          .isEmpty();
      assertThat(rig.requests().stream().map(request -> request.header("x-session-id")).distinct())
          .containsExactly(id, started.id());
      try (LoopConversation child = LoopConversation.open(rig.home, started.id());
          LoopConversation parent = LoopConversation.open(rig.home, id)) {
        assertThat(child.session().parent()).isEqualTo(id);
        assertThat(parent.session().children()).containsExactly(started.id());
      }
    }
  }

  @Test
  void shouldContinueItsSessionWithTheCall() throws Exception {
    try (LoopRig rig = new LoopRig(folder, script())) {
      LoopRig.Running first = rig.start(new AgentStart.Fresh("go"));
      first.await();
      String id = first.session().id();
      Path file = LoopConversation.file(rig.home, id);
      List<String> rows = Files.readAllLines(file);
      assertThat(rows.get(3)).contains("\"type\":\"child\"");
      String child = first.listener().of(AgentEvent.SubAgentStarted.class).getFirst().id();
      Path childFile = LoopConversation.file(rig.home, child);
      List<String> childRows = Files.readAllLines(childFile);
      assertThat(childRows).hasSize(8);

      // Within the call: the sub-agent has run its command, and has no final text.
      Files.write(file, rows.subList(0, 4));
      Files.write(childFile, childRows.subList(0, 7));
      LoopRig.Running second = rig.start(new AgentStart.Resume(id));

      assertThat(second.await().text()).isEqualTo("all");
      assertThat(second.listener().of(AgentEvent.SubAgentStarted.class).getFirst().id())
          .isEqualTo(child);
      assertThat(rig.workspace.resolve("out.txt")).hasContent("child\nparent\nparent\n");
      assertThat(rig.requests()).as("answers come from the journal").hasSize(6);

      // Before the call: all runs again, with the answers of the journal.
      Files.write(file, rows.subList(0, 2));
      Files.delete(childFile);
      LoopRig.Running third = rig.start(new AgentStart.Resume(id));

      assertThat(third.await().text()).isEqualTo("all");
      assertThat(rig.requests()).hasSize(6);
      assertThat(Files.readAllLines(childFile)).hasSameSizeAs(childRows);
    }
  }

  @Test
  void shouldBoundDepthAndApplyTheRules() throws Exception {
    ModelScript script =
        request -> {
          if (isOf(request, "LEVEL 2")) {
            return request.turn() == 0 ? child("LEVEL 3", "") : ScriptedReply.text("two");
          }
          if (isOf(request, "LEVEL 1")) {
            return request.turn() == 0
                ? child("LEVEL 2", "").with(new ReplyPart.ToolCall("grep", "{\"pattern\":\"a\"}"))
                : ScriptedReply.text("one");
          }
          return request.turn() == 0 ? child("LEVEL 1", "") : ScriptedReply.text("zero");
        };
    ToolRules rules = new ToolRules(List.of(), List.of(), List.of("grep"));
    try (LoopRig rig = new LoopRig(folder, script)) {
      LoopRig.Running running =
          rig.start(
              new AgentStart.Fresh("go"),
              LoopRig.CLAUDE,
              LoopRig.rules(rules),
              new RecordingListener());

      assertThat(running.await().text()).isEqualTo("zero");

      assertThat(rig.requests()).hasSize(6);
      assertThat(rig.requests().stream().map(request -> request.body().toString()))
          .anyMatch(body -> body.contains("'sub_agent' is not a tool"))
          .anyMatch(body -> body.contains("Denied are: grep."));
    }
  }

  @Test
  void shouldLeaveTheCallOpenAtTheBudget() throws Exception {
    try (LoopRig rig = new LoopRig(folder, script())) {
      rig.rig.limit(new SpendBudget(null, null, 2L, null));

      LoopRig.Running first = rig.start(new AgentStart.Fresh("go"));
      AgentEnd end = first.await();

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.BUDGET);
      assertThat(rig.requests()).hasSize(2);
      rig.rig.limit(SpendBudget.UNLIMITED);
      LoopRig.Running second = rig.start(new AgentStart.Resume(first.session().id()));
      assertThat(second.await().text()).isEqualTo("all");
      assertThat(rig.workspace.resolve("out.txt")).hasContent("child\nparent\n");
      assertThat(rig.requests()).hasSize(6);
    }
  }
}
