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
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentLaunch.ContextLimit;
import dev.baton.agent.AgentStart;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.testkit.RecordingListener;
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

/** Conversations that are longer than the window of their model. */
class LoopCompactionTest {
  private static final AgentTask TASK = AgentTask.PLAIN.withContext(new ContextLimit(100_000, 0.5));

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  static boolean isSummary(ScriptedRequest request) {
    return request.body().toString().contains("Your next answer replaces it");
  }

  private static boolean isCompacted(ScriptedRequest request) {
    return request.body().toString().contains("THE SUMMARY");
  }

  private static ScriptedReply shell(String command) {
    return ScriptedReply.call("shell", "{\"command\":\"" + command + "\"}");
  }

  /** A plan, one command, an answer that fills half of the window, one more command, the end. */
  private static ModelScript script() {
    List<ScriptedReply> before =
        List.of(
            ScriptedReply.call(
                "planning_setup_plan", "{\"objective\":\"fix\",\"steps\":[\"write\"]}"),
            shell("echo one >> out.txt"),
            shell("echo two >> out.txt").usage(49_000, 900, 0, 100, 0));
    return request -> {
      if (isSummary(request)) {
        return ScriptedReply.text("THE SUMMARY").usage(50_100, 0, 0, 20, 0);
      }
      if (isCompacted(request)) {
        return request.turn() == 1 ? shell("echo three >> out.txt") : ScriptedReply.text("done");
      }
      return before.get(request.turn());
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude-sonnet-4-5", "gpt-5.1"})
  void shouldReplaceOlderMessagesByASummary(String model) throws Exception {
    try (LoopRig rig = new LoopRig(folder, script())) {
      LoopRig.Running running =
          rig.start(new AgentStart.Fresh("the whole task"), model, TASK, new RecordingListener());

      AgentEnd end = running.await();

      assertThat(end).isEqualTo(new AgentEnd(AgentEnd.Kind.COMPLETED, "done", 0, ""));
      assertThat(rig.workspace.resolve("out.txt")).hasContent("one\ntwo\nthree\n");
      assertThat(rig.requests()).hasSize(6);
      ScriptedRequest summary = rig.requests().get(3);
      assertThat(summary.body().toString()).contains("echo one", "echo two", "exit code 0");
      assertThat(summary.body().path("tools")).isNotEmpty();
      for (ScriptedRequest after : rig.requests().subList(4, 6)) {
        assertThat(after.body().path("messages").toString())
            .as("the task and the newest answer stay")
            .contains("the whole task", "THE SUMMARY", "echo two")
            .doesNotContain("echo one");
        assertThat(after.body().toString()).contains("Objective: fix", "1. write (pending)");
      }
      assertThat(running.listener().of(AgentEvent.Compacted.class))
          .singleElement()
          .satisfies(compacted -> assertThat(compacted.tokensBefore()).isBetween(50_000L, 50_100L));
    }
  }

  @Test
  void shouldRequestNoSummaryTwice() throws Exception {
    try (LoopRig rig = new LoopRig(folder, script())) {
      LoopRig.Running first =
          rig.start(
              new AgentStart.Fresh("the whole task"),
              LoopRig.CLAUDE,
              TASK,
              new RecordingListener());
      assertThat(first.await().text()).isEqualTo("done");
      String id = first.session().id();
      Path file = LoopConversation.file(rig.home, id);
      List<String> rows = Files.readAllLines(file);
      int summary = 0;
      while (!rows.get(summary).contains("\"type\":\"summary\"")) {
        summary++;
      }
      // As after a death before the summary was written, and as after one that followed.
      for (int left : List.of(summary, summary + 1)) {
        Files.write(file, rows.subList(0, left));

        LoopRig.Running again =
            rig.start(new AgentStart.Resume(id), LoopRig.CLAUDE, TASK, new RecordingListener());

        assertThat(again.await().text()).isEqualTo("done");
        assertThat(rig.requests()).as("answers come from the journal").hasSize(6);
        assertThat(rig.rig.events).noneMatch(event -> event.startsWith("diverged"));
        assertThat(again.listener().of(AgentEvent.Compacted.class))
            .hasSize(left == summary ? 1 : 0);
      }
    }
  }

  @Test
  void shouldSummarizeAllWhenTheNewestAnswerIsTooLong() throws Exception {
    String large = "head -c 30000 /dev/zero | tr '\\\\0' y";
    ScriptedReply many = shell(large);
    for (int i = 0; i < 5; i++) {
      many = many.with(new ReplyPart.ToolCall("shell", "{\"command\":\"" + large + "\"}"));
    }
    ScriptedReply first = many;
    ModelScript script =
        request ->
            isSummary(request)
                ? ScriptedReply.text("THE SUMMARY")
                : isCompacted(request) ? ScriptedReply.text("done") : first;
    try (LoopRig rig = new LoopRig(folder, script)) {
      LoopRig.Running running =
          rig.start(
              new AgentStart.Fresh("task"),
              LoopRig.CLAUDE,
              AgentTask.PLAIN.withContext(new ContextLimit(60_000, 0.8)),
              new RecordingListener());

      assertThat(running.await().text()).isEqualTo("done");

      assertThat(rig.requests()).hasSize(3);
      assertThat(rig.requests().get(1).body().toString())
          .as("results are shortened where all of them are too long")
          .contains("characters left out")
          .hasSizeLessThan(60_000);
      assertThat(rig.requests().get(2).body().path("messages").toString())
          .contains("task", "THE SUMMARY")
          .doesNotContain("yyyy");
    }
  }
}
