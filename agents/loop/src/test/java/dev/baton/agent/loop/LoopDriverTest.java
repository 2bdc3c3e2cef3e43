/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentEvent.ToolOutcome;
import dev.baton.agent.AgentLaunch.AgentTask;
import dev.baton.agent.AgentProgram;
import dev.baton.agent.AgentProgramException;
import dev.baton.agent.AgentStart;
import dev.baton.agent.InterruptedCallRules;
import dev.baton.agent.ToolApproval;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.testkit.PlainProcessStarter;
import dev.baton.agent.testkit.RecordingListener;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The built-in loop as a real process, through the gateway. */
class LoopDriverTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static ScriptedReply shell(String command) {
    return ScriptedReply.call("shell", "{\"command\":\"" + command + "\"}");
  }

  private static final List<ScriptedReply> WORK =
      List.of(
          ScriptedReply.text("I begin.")
              .with(
                  new ReplyPart.ToolCall(
                      "planning_setup_plan",
                      "{\"objective\":\"fix\",\"steps\":[\"write\",\"check\"]}")),
          ScriptedReply.call("write_file", "{\"path\":\"a.txt\",\"content\":\"one\\n\"}")
              .with(new ReplyPart.ToolCall("shell", "{\"command\":\"echo two >> a.txt\"}")),
          ScriptedReply.call("read_file", "{\"path\":\"a.txt\"}")
              .with(new ReplyPart.ToolCall("grep", "{\"pattern\":\"two\"}")),
          ScriptedReply.call("update_step", "{\"step\":1,\"status\":\"done\"}"),
          ScriptedReply.text("All done."));

  @ParameterizedTest
  @ValueSource(strings = {"claude-sonnet-4-5", "gpt-5.1", "openai-chat:claude-sonnet-4-5"})
  void shouldWorkInBothForms(String model) throws Exception {
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(WORK))) {
      LoopRig.Running running =
          rig.start(
              new AgentStart.Fresh("fix it"),
              model,
              new AgentTask("Be brief.", ToolRules.ALL, List.of(), List.of(), ""),
              new RecordingListener());

      AgentEnd end = running.await();

      assertThat(end).isEqualTo(new AgentEnd(AgentEnd.Kind.COMPLETED, "All done.", 0, ""));
      assertThat(rig.workspace.resolve("a.txt")).hasContent("one\ntwo\n");
      assertThat(rig.requests()).hasSize(WORK.size());
      List<String> results = results(rig.requests().getLast());
      assertThat(results)
          .containsExactly(
              "plan set with 2 steps",
              "created a.txt, 4 bytes",
              "exit code 0, no output",
              "a.txt, 8 bytes\n1\tone\n2\ttwo\n",
              "a.txt:2: two\n",
              "step 1 is done");
      assertThat(rig.requests().getFirst().body().toString())
          .contains("Be brief.", "The session has no plan yet", "fix it");
      assertThat(rig.requests().getLast().body().toString())
          .contains("Objective: fix", "Done:", "Remaining:");
      assertEvents(running);
    }
  }

  private static void assertEvents(LoopRig.Running running) {
    RecordingListener events = running.listener();
    assertThat(events.of(AgentEvent.SessionStarted.class))
        .singleElement()
        .satisfies(started -> assertThat(started.agent()).isEqualTo("loop"));
    assertThat(events.of(AgentEvent.ToolEnded.class))
        .hasSize(6)
        .allSatisfy(ended -> assertThat(ended.outcome()).isEqualTo(ToolOutcome.OK))
        .filteredOn(ended -> !ended.files().isEmpty())
        .singleElement()
        .satisfies(ended -> assertThat(ended.files()).containsExactly("a.txt"));
    assertThat(events.of(AgentEvent.ToolBegun.class).stream().map(AgentEvent.ToolBegun::callId))
        .doesNotHaveDuplicates()
        .hasSize(6);
    assertThat(events.of(AgentEvent.PlanUpdated.class).getLast().items())
        .containsExactly(
            new AgentEvent.PlanItem("write", "completed"),
            new AgentEvent.PlanItem("check", "pending"));
    assertThat(
            events.of(AgentEvent.AssistantText.class).stream().map(AgentEvent.AssistantText::text))
        .containsExactly("I begin.", "All done.");
    assertThat(events.of(AgentEvent.UnknownLine.class)).isEmpty();
    assertThat(events.of(AgentEvent.Notice.class)).isEmpty();
  }

  private static List<String> results(ScriptedRequest request) {
    java.util.ArrayList<String> results = new java.util.ArrayList<>();
    for (var message : request.body().path("messages")) {
      if (message.path("role").asText().equals("tool")) {
        results.add(message.path("content").asText());
      }
      for (var block : message.path("content")) {
        if (block.path("type").asText().equals("tool_result")) {
          var content = block.path("content");
          results.add(content.isArray() ? content.path(0).path("text").asText() : content.asText());
        }
      }
    }
    return results;
  }

  @Test
  void shouldRunNothingAgainThatHasAResult() throws Exception {
    List<ScriptedReply> script =
        List.of(
            shell("echo first >> out.txt")
                .with(new ReplyPart.ToolCall("shell", "{\"command\":\"echo second >> out.txt\"}"))
                .with(
                    new ReplyPart.ToolCall(
                        "shell",
                        "{\"command\":\"test -e go || sleep 300; echo third >> out.txt\"}")),
            ScriptedReply.text("All done."));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      LoopRig.Running first = rig.start(new AgentStart.Fresh("go"));
      assertThat(
              first
                  .listener()
                  .await(
                      event ->
                          event instanceof AgentEvent.ToolBegun begun
                              && begun.input().contains("third")))
          .isTrue();
      first.session().interrupt();
      assertThat(first.await().kind()).isEqualTo(AgentEnd.Kind.KILLED);
      String id = first.session().id();
      Files.createFile(rig.workspace.resolve("go"));

      LoopRig.Running second = rig.start(new AgentStart.Resume(id));
      AgentEnd end = second.await();

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(second.session().id()).isEqualTo(id);
      assertThat(rig.workspace.resolve("out.txt")).hasContent("first\nsecond\nthird\n");
      assertThat(second.listener().of(AgentEvent.ToolBegun.class)).hasSize(1);
      assertThat(rig.requests()).hasSize(2);

      LoopRig.Running third = rig.start(new AgentStart.Resume(id));
      assertThat(third.await().text()).isEqualTo("All done.");
      assertThat(rig.requests()).as("the turn had ended").hasSize(2);
    }
  }

  @Test
  void shouldSendTheSameRequestsAfterAResume() throws Exception {
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(WORK))) {
      LoopRig.Running first = rig.start(new AgentStart.Fresh("go"));
      assertThat(first.await().kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
      String id = first.session().id();
      int paid = rig.requests().size();
      // As at the first boundary: only opening and prompt.
      Path file = LoopConversation.file(rig.home, id);
      Files.write(file, Files.readAllLines(file).subList(0, 2));
      Files.delete(rig.workspace.resolve("a.txt"));

      LoopRig.Running second = rig.start(new AgentStart.Resume(id));
      AgentEnd end = second.await();

      assertThat(end.text()).isEqualTo("All done.");
      assertThat(rig.workspace.resolve("a.txt")).hasContent("one\ntwo\n");
      assertThat(rig.requests()).as("all answers come from the journal").hasSize(paid);
      assertThat(rig.rig.events).noneMatch(event -> event.startsWith("diverged"));
    }
  }

  @Test
  void shouldRefuseASessionThatIsDamagedOrMissing() throws Exception {
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(WORK))) {
      LoopRig.Running first = rig.start(new AgentStart.Fresh("go"));
      first.await();
      String id = first.session().id();
      int paid = rig.requests().size();
      Path file = LoopConversation.file(rig.home, id);
      assertThat(rig.driver.stateFiles().contains(rig.home.relativize(file))).isTrue();
      assertThat(rig.driver.settled(rig.home, id, List.of(), Duration.ofSeconds(1))).isTrue();
      assertThat(rig.driver.settled(rig.home, id, List.of("absent"), Duration.ofMillis(10)))
          .isFalse();

      Files.writeString(file, Files.readString(file).replace("I begin", "i begin"));
      AgentEnd damaged = rig.start(new AgentStart.Resume(id)).await();
      Files.delete(file);
      AgentEnd missing = rig.start(new AgentStart.Resume(id)).await();
      AgentEnd other = rig.start(new AgentStart.Resume("../../x")).await();

      assertThat(damaged.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
      assertThat(damaged.message()).contains("line 3 of its file", "its checksum differs");
      assertThat(missing.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
      assertThat(missing.message()).contains("is missing");
      assertThat(other.kind()).isEqualTo(AgentEnd.Kind.SESSION_REFUSED);
      assertThat(rig.requests()).hasSize(paid);
    }
  }

  @Test
  void shouldContinueAfterItsTurn() throws Exception {
    List<ScriptedReply> script = List.of(ScriptedReply.text("first"), ScriptedReply.text("second"));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      LoopRig.Running first = rig.start(new AgentStart.Fresh("go"));
      first.await();

      LoopRig.Running second = rig.start(new AgentStart.Continue(first.session().id(), "and more"));

      assertThat(second.await().text()).isEqualTo("second");
      assertThat(rig.requests().getLast().body().toString()).contains("and more", "first");
    }
  }

  @Test
  void shouldApplyTheRules() throws Exception {
    List<ScriptedReply> script =
        List.of(
            shell("git push")
                .with(new ReplyPart.ToolCall("write_file", "{\"path\":\"a\",\"content\":\"a\"}"))
                .with(new ReplyPart.ToolCall("write_file", "{\"path\":\"b\",\"content\":\"b\"}"))
                .with(new ReplyPart.ToolCall("fly", "{}"))
                .with(new ReplyPart.ToolCall("shell", "{\"command\":\"true\"}")),
            ScriptedReply.text("All done."));
    ToolRules rules = new ToolRules(List.of(), List.of("write_file"), List.of("shell(git push*)"));
    RecordingListener listener =
        new RecordingListener(
            approval ->
                CompletableFuture.completedFuture(
                    approval.input().contains("\"b\"")
                        ? new ToolDecision.Deny("not b")
                        : new ToolDecision.Allow()));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      AgentEnd end =
          rig.start(new AgentStart.Fresh("go"), LoopRig.CLAUDE, LoopRig.rules(rules), listener)
              .await();

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(results(rig.requests().getLast()))
          .containsExactly(
              "The rules of this run deny the call. Denied are: shell(git push*).",
              "created a, 1 bytes",
              "not b",
              "'fly' is not a tool. The tools are: shell, read_file, write_file, edit_file,"
                  + " grep, planning_setup_plan, add_step, update_step, session_keep_value,"
                  + " sub_agent.",
              "exit code 0, no output");
      assertThat(rig.workspace.resolve("b")).doesNotExist();
      assertThat(listener.approvals()).hasSize(2);
      assertThat(
              listener.of(AgentEvent.ToolEnded.class).stream().map(AgentEvent.ToolEnded::outcome))
          .containsExactly(
              ToolOutcome.DENIED,
              ToolOutcome.OK,
              ToolOutcome.DENIED,
              ToolOutcome.FAILED,
              ToolOutcome.OK);
    }
  }

  @Test
  void shouldHoldAWatchedCallUntilItMayBegin() throws Exception {
    List<ScriptedReply> script =
        List.of(
            ScriptedReply.call("write_file", "{\"path\":\"a\",\"content\":\"a\"}")
                .with(new ReplyPart.ToolCall("shell", "{\"command\":\"echo x > b\"}"))
                .with(new ReplyPart.ToolCall("shell", "{\"command\":\"ls\"}")),
            ScriptedReply.text("All done."));
    ToolRules rules =
        new ToolRules(
            List.of(),
            List.of("write_file"),
            List.of(),
            new InterruptedCallRules(
                List.of("shell(ls*)"), List.of(), List.of("shell", "write_file")));
    List<String> existing = new CopyOnWriteArrayList<>();
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      RecordingListener listener =
          new RecordingListener(
              approval -> {
                existing.add(approval.tool() + " " + Files.exists(rig.workspace.resolve("a")));
                return CompletableFuture.completedFuture(
                    approval.tool().equals("shell")
                        ? new ToolDecision.Deny("outcome unknown")
                        : new ToolDecision.Allow());
              });
      AgentEnd end =
          rig.start(new AgentStart.Fresh("go"), LoopRig.CLAUDE, LoopRig.rules(rules), listener)
              .await();

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(listener.approvals()).extracting(ToolApproval::tool).containsExactly("write_file");
      assertThat(listener.begun())
          .extracting(ToolApproval::mainInput)
          .as("not of the exception")
          .containsExactly("a", "echo x > b");
      assertThat(existing)
          .as("each begin is requested when the calls before it have ended")
          .containsExactly("write_file false", "write_file false", "shell true");
      assertThat(results(rig.requests().getLast())).element(1).isEqualTo("outcome unknown");
      assertThat(rig.workspace.resolve("b")).doesNotExist();
    }
  }

  @Test
  void shouldAllowTheNamedToolsAndThoseOfTheSession() throws Exception {
    List<ScriptedReply> script =
        List.of(
            ScriptedReply.call("planning_setup_plan", "{\"objective\":\"o\",\"steps\":[\"a\"]}")
                .with(new ReplyPart.ToolCall("read_file", "{\"path\":\".\"}"))
                .with(new ReplyPart.ToolCall("shell", "{\"command\":\"true\"}")),
            ScriptedReply.text("All done."));
    RecordingListener listener =
        new RecordingListener(
            approval -> CompletableFuture.completedFuture(new ToolDecision.Deny("no")));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      rig.start(
              new AgentStart.Fresh("go"),
              LoopRig.CLAUDE,
              LoopRig.rules(new ToolRules(List.of("read_file"), List.of(), List.of())),
              listener)
          .await();

      assertThat(results(rig.requests().getLast()))
          .containsExactly(
              "plan set with 1 steps",
              "folder ., 0 entries\n",
              "The rules of this run do not allow the call. Allowed are: read_file,"
                  + " planning_setup_plan, add_step, update_step, session_keep_value.");
      assertThat(listener.approvals()).isEmpty();
    }
  }

  @Test
  void shouldEndAtTheBudget() throws Exception {
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(WORK))) {
      rig.rig.limit(new SpendBudget(null, null, 2L, null));

      AgentEnd end = rig.start(new AgentStart.Fresh("go")).await();

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.BUDGET);
      assertThat(end.message()).contains("turns budget of 2 turns is used up");
      assertThat(rig.requests()).hasSize(2);
    }
  }

  @Test
  void shouldGiveNoToolAKey() throws Exception {
    List<ScriptedReply> script =
        List.of(shell("env; ps -o args= -p $PPID"), ScriptedReply.text("."));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      LoopRig.Running running = rig.start(new AgentStart.Fresh("go"));
      running.await();

      String result = results(rig.requests().getLast()).getFirst();
      assertThat(result)
          .contains("PATH=", "TMPDIR=" + rig.home)
          .doesNotContain("sk-of-the-user")
          .doesNotContain(running.gateway().token());
      assertThat(Files.readString(LoopConversation.file(rig.home, running.session().id())))
          .doesNotContain(running.gateway().token());
    }
  }

  @Test
  void shouldGiveFaultsToTheModelAndRemoveFences() throws Exception {
    List<ScriptedReply> script =
        List.of(
            ScriptedReply.call("read_file", "{\"path\":\"../x\"}")
                .with(new ReplyPart.ToolCall("read_file", "{\"path\":7}")),
            ScriptedReply.text("```json\n{\"a\":1}\n```"));
    AgentTask task =
        new AgentTask("", ToolRules.ALL, List.of(), List.of(), "{\"type\":\"object\"}");
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      AgentEnd end =
          rig.start(new AgentStart.Fresh("go"), LoopRig.CLAUDE, task, new RecordingListener())
              .await();

      assertThat(end.text()).isEqualTo("{\"a\":1}");
      assertThat(results(rig.requests().getLast()))
          .satisfiesExactly(
              outside -> assertThat(outside).contains("outside of the workspace"),
              wrong -> assertThat(wrong).isEqualTo("'path' is not a text."));
    }
  }

  @Test
  void shouldNameWhatIsMissing() throws Exception {
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(WORK))) {
      AgentEnd end =
          rig.start(new AgentStart.Fresh("go"), "", AgentTask.PLAIN, new RecordingListener())
              .await();

      assertThat(end.kind()).isEqualTo(AgentEnd.Kind.FAILED);
      assertThat(end.message()).contains("has no model").contains("baton.agent.model");
      assertThatThrownBy(
              () ->
                  rig.driver.check(
                      new AgentProgram(List.of(), "7.1", "/bin"), new PlainProcessStarter()))
          .isInstanceOf(AgentProgramException.class)
          .hasMessageContaining("version 7.1 is required, this runner has version 1");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"claude-sonnet-4-5", "gpt-5.1"})
  void shouldBeginWithImagesAlsoAfterAResume(String model) throws Exception {
    Path image = Files.write(folder.resolve("a.png"), new byte[] {1, 2, 3});
    AgentTask task = AgentTask.PLAIN.withImages(List.of(image));
    List<ScriptedReply> script =
        List.of(shell("echo x >> out.txt"), ScriptedReply.text("All done."));
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(script))) {
      LoopRig.Running first =
          rig.start(new AgentStart.Fresh("look"), model, task, new RecordingListener());
      assertThat(first.await().text()).isEqualTo("All done.");
      assertThat(rig.requests())
          .hasSize(2)
          .allSatisfy(
              request ->
                  assertThat(request.body().path("messages").toString())
                      .containsSubsequence("AQID", "look"));
      // The image is a part of the conversation: it is not read again.
      Files.delete(image);
      Path file = LoopConversation.file(rig.home, first.session().id());
      Files.write(file, Files.readAllLines(file).subList(0, 2));

      LoopRig.Running second =
          rig.start(
              new AgentStart.Resume(first.session().id()),
              model,
              AgentTask.PLAIN,
              new RecordingListener());

      assertThat(second.await().text()).isEqualTo("All done.");
      assertThat(rig.requests()).as("the same requests").hasSize(2);
    }
  }

  @Test
  void shouldRefuseImagesThatItCannotSend() throws Exception {
    Path large = folder.resolve("large.png");
    try (LoopRig rig = new LoopRig(folder, ModelScript.byTurn(WORK));
        var file = new java.io.RandomAccessFile(large.toFile(), "rw")) {
      file.setLength((12L << 20) + 1);
      assertThat(refused(rig, large)).contains("the images have 12582913 bytes together; at most");
      assertThat(refused(rig, folder.resolve("none.png"))).contains("does not exist");
      Path text = Files.writeString(folder.resolve("a.txt"), "a");
      assertThat(refused(rig, text)).contains("neither PNG, JPEG, GIF nor WebP");
      assertThat(rig.requests()).isEmpty();
    }
  }

  private static String refused(LoopRig rig, Path image) throws Exception {
    AgentEnd end =
        rig.start(
                new AgentStart.Fresh("look"),
                LoopRig.CLAUDE,
                AgentTask.PLAIN.withImages(List.of(image)),
                new RecordingListener())
            .await();
    assertThat(end.kind()).isEqualTo(AgentEnd.Kind.FAILED);
    return end.message();
  }
}
