/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.acceptance.agent.ToolAgentMain;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Agent steps with real processes: an agent whose tools are not idempotent, killed together with
 * its runner at random moments, does everything once and pays every answer once.
 */
@UsesScriptedModels
class AgentStepTest {
  private static final String KEY = ScriptedModelsExtension.KEY;
  private static final int TOOLS = 20;

  /** Answers of the script: one for each tool but the two parallel ones, and the final text. */
  private static final int ANSWERS = TOOLS;

  private static final int KILLS = Integer.getInteger("baton.agent.kills", 8);
  private static final Duration END = Duration.ofSeconds(300);

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    stack = ScriptedModelStack.with(ModelScript.byTurn(script()));
    endpoint = stack.messages();
    on = stack.on;
    Path arguments = on.folder.resolve("agent.args");
    Files.writeString(
        arguments,
        "-XX:TieredStopAtLevel=1 -Xmx64m -cp \"%s\" %s"
            .formatted(System.getProperty("java.class.path"), ToolAgentMain.class.getName()));
    String command =
        "['%s', '@%s']"
            .formatted(Path.of(System.getProperty("java.home"), "bin", "java"), arguments);
    on.api.push(workflow("repairs", command, ""));
    on.api.push(workflow("poor", command, ", budget: {turns: 5}"));
    on.api.push(workflow("watched", command, ", idle: 15s"));
    on.api.push(workflow("hopeless", "[sh, -c, 'kill -9 $$']", ""));
  }

  private static String workflow(String name, String command, String more) {
    return """
        name: %s
        steps:
          - {id: before, shell: 'echo x > word; echo begin > lines'}
          - id: work
            agent: {use: command, command: %s, model: claude-sonnet-4-5, prompt: 'Do it.'%s}
          - {id: after, shell: 'cat lines word'}
        """
        .formatted(name, command, more);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private static List<ScriptedReply> script() {
    List<ScriptedReply> replies = new ArrayList<>();
    for (int i = 0; i < TOOLS - 1; i++) {
      ScriptedReply reply =
          i % 5 == 4
              ? ScriptedReply.call("double", "{\"file\": \"word\"}")
              : ScriptedReply.call(
                  "append", "{\"file\": \"lines\", \"line\": \"line %d\"}".formatted(i));
      if (i == 7) {
        reply =
            reply.with(
                new ReplyPart.ToolCall("append", "{\"file\": \"lines\", \"line\": \"second\"}"));
      }
      replies.add(
          reply
              .usage(100 + i, 10, 20, 30 + i, 0)
              .after(Duration.ofMillis(50))
              .slowly(Duration.ofMillis(20)));
    }
    replies.add(ScriptedReply.text("All done.").usage(7, 0, 0, 3, 0));
    return replies;
  }

  private static String expected() {
    StringBuilder lines = new StringBuilder("begin\n");
    int doubled = 0;
    for (int i = 0; i < TOOLS - 1; i++) {
      if (i % 5 == 4) {
        doubled++;
      } else {
        lines.append("line ").append(i).append('\n');
      }
      if (i == 7) {
        lines.append("second\n");
      }
    }
    return lines.append("x".repeat(1 + doubled)).toString();
  }

  @Test
  void shouldRunAnAgent() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("repairs", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(endpoint.requests().size() - before).isEqualTo(ANSWERS);
    List<JsonNode> answers = on.api.events(run, "model_answered");
    assertThat(answers).hasSize(ANSWERS);
    assertThat(answers.getFirst().path("tools").toString()).isEqualTo("[\"append\"]");
    assertThat(
            on.api.events(run, "checkpoint_saved").stream()
                .filter(event -> event.path("trigger").asText().equals("turn")))
        .hasSize(ANSWERS)
        .allSatisfy(
            event -> {
              assertThat(event.path("turn").path("agent").asText()).isEqualTo("command");
              assertThat(event.path("resumes").path("step").asText()).isEqualTo("work");
            });
    assertThat(on.api.events(run, "agent_session_created")).hasSize(1);
    assertThat(endpoint.requests().getLast().header("x-api-key")).isEqualTo(KEY);
    assertNoSecret(run);
  }

  @Test
  void shouldDoAndPayEverythingOnceHoweverOftenItDies() throws Exception {
    Random random =
        SeededRandomFactory.random("agent and runner die " + KILLS + " times in a session");
    int before = endpoint.requests().size();
    String run = on.api.start("repairs", AcceptanceApiClient.JSON.createObjectNode());
    int killed =
        new AgentRunnerKiller(
                random,
                KILLS,
                kill -> before + 1 + (ANSWERS - 2) * kill / (KILLS + 1),
                () -> endpoint.requests().size())
            .kill(run)
            .killed();

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(killed).isGreaterThanOrEqualTo(KILLS - 1);
    assertPaidOnce(run, before, killed);
    List<JsonNode> answers =
        on.api.events(run, "model_answered").stream()
            .filter(answer -> answer.has("answer"))
            .toList();
    JsonNode spend = end.path("agent");
    long tokens = 7 + 3;
    for (int i = 0; i < TOOLS - 1; i++) {
      tokens += 100 + i + 10 + 20 + 30 + i;
    }
    assertThat(
            answers.stream()
                .mapToLong(
                    answer ->
                        Stream.of("input", "output", "cache_read", "cache_write")
                            .mapToLong(kind -> answer.path("usage").path(kind).asLong())
                            .sum())
                .sum())
        .isEqualTo(tokens);
    if (!spend.isMissingNode()) {
      assertThat(spend.path("turns").asInt()).isEqualTo(ANSWERS);
      assertThat(spend.path("tokens").asLong()).isEqualTo(tokens);
      assertThat(spend.path("cost").decimalValue())
          .isEqualByComparingTo(
              answers.stream()
                  .map(answer -> answer.path("cost").decimalValue())
                  .reduce(BigDecimal.ZERO, BigDecimal::add));
    }
    assertNoSecret(run);
  }

  /** Its runner lives, so that no other branch of the run is disturbed. */
  @Test
  void shouldResumeAnAgentThatDiesAlone() throws Exception {
    Random random = SeededRandomFactory.random("an agent dies " + KILLS + " times");
    int before = endpoint.requests().size();
    String run = on.api.start("repairs", AcceptanceApiClient.JSON.createObjectNode());
    for (int kill = 1; kill <= KILLS; kill++) {
      awaitRequests(before + 1 + (ANSWERS - 2) * kill / (KILLS + 1));
      TimeUnit.MILLISECONDS.sleep(random.nextLong(400));
      Await.until("the agent runs", END, () -> agent(run).isPresent());
      agent(run).ifPresent(ProcessHandle::destroyForcibly);
    }

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(end.path("epoch").asInt()).isEqualTo(1);
    assertPaidOnce(run, before, KILLS);
    assertThat(on.api.events(run, "step_started").stream())
        .filteredOn(event -> event.hasNonNull("resumed_from"))
        .as("resumes at a boundary")
        .hasSizeBetween(KILLS - 1, KILLS);
  }

  @Test
  void shouldResumeAnAgentThatHangs() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("watched", AcceptanceApiClient.JSON.createObjectNode());
    awaitRequests(before + ANSWERS / 2);
    ProcessHandle hung = agent(run).orElseThrow();

    assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(hung.pid())).start().waitFor())
        .isZero();

    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(hung.isAlive()).isFalse();
    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertPaidOnce(run, before, 1);
  }

  @Test
  void shouldForkAtATurnAndPayNothingBeforeItAgain() throws Exception {
    String parent = on.api.start("repairs", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode done = on.api.awaitStatus(parent, "completed", END);
    List<JsonNode> parentEvents = on.api.events(parent);
    int before = endpoint.requests().size();
    int turn = ANSWERS / 2;

    ObjectNode from = AcceptanceApiClient.JSON.createObjectNode();
    from.put("checkpoint", stack.boundaryBefore(parent, turn));
    String fork = on.api.post("/runs/" + parent + "/fork", from).body().path("id").asText();
    JsonNode end = on.api.awaitStatus(fork, "completed", END);

    assertThat(end.path("output")).isEqualTo(done.path("output"));
    assertThat(endpoint.requests().size() - before).isEqualTo(ANSWERS - turn + 1);
    assertThat(end.path("agent").path("turns").asInt()).isEqualTo(ANSWERS - turn + 1);
    assertThat(end.path("agent").path("session"))
        .as("a session of its own")
        .isNotEqualTo(done.path("agent").path("session"));
    assertThat(on.api.events(parent)).as("the parent is untouched").isEqualTo(parentEvents);
  }

  @Test
  void shouldGiveUpAnAgentThatDiesAgainAndAgain() throws Exception {
    String run = on.api.start("hopeless", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode failed = on.api.awaitStatus(run, "failed", END);

    assertThat(failed.path("error").path("code").asText()).isEqualTo("agent_stuck");
    assertThat(on.api.events(run, "agent_session_created")).hasSize(4);
  }

  private static void awaitRequests(int wanted) throws Exception {
    Await.until(
        "the endpoint has " + wanted + " requests",
        END,
        () -> endpoint.requests().size() >= wanted);
  }

  /** Returns the process of the run's agent. */
  private static Optional<ProcessHandle> agent(String run) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().command().orElse("").endsWith("java"))
        .filter(process -> hasMarks(process, "BATON_RUN_ID=" + run, "BATON_STEP_ID=work"))
        .findFirst();
  }

  private static boolean hasMarks(ProcessHandle process, String... marks) {
    Path environment = Path.of("/proc", Long.toString(process.pid()), "environ");
    try {
      return List.of(Files.readString(environment, StandardCharsets.ISO_8859_1).split("\0", -1))
          .containsAll(List.of(marks));
    } catch (IOException gone) {
      return false; // It has ended since it was listed.
    }
  }

  /** Every answer was paid and kept once, beside those that were streaming at a kill. */
  private static void assertPaidOnce(String run, int before, int kills) throws Exception {
    List<JsonNode> answers =
        on.api.events(run, "model_answered").stream()
            .filter(answer -> answer.has("answer"))
            .toList();
    int calls = endpoint.requests().size() - before;
    System.out.printf(
        "  %d kills, %d calls for %d answers, %d processes%n",
        kills, calls, answers.size(), on.api.events(run, "agent_session_created").size());
    assertThat(answers.stream().map(answer -> answer.path("key").asText()).distinct())
        .hasSameSizeAs(answers)
        .hasSize(ANSWERS);
    assertThat(answers).noneMatch(answer -> answer.path("diverged").asBoolean());
    assertThat(calls).isBetween(ANSWERS, ANSWERS + kills);
    assertThat(
            on.api.events(run, "agent_session_created").stream()
                .map(session -> session.path("session").asText())
                .distinct())
        .as("the same session throughout")
        .hasSize(1);
  }

  @Test
  void shouldStopAtTheBudgetAndContinueWithAnother() throws Exception {
    int before = endpoint.requests().size();
    String run = on.api.start("poor", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode failed = on.api.awaitStatus(run, "failed", END);

    assertThat(failed.path("error").path("code").asText()).isEqualTo("budget");
    assertThat(failed.path("error").path("message").asText())
        .contains("turns budget of 5 turns is used up")
        .contains("--budget turns=N");
    assertThat(endpoint.requests().size() - before).isEqualTo(5);

    on.api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode());
    Await.until("it has failed again", END, () -> on.api.events(run, "run_failed").size() == 2);
    assertThat(endpoint.requests().size() - before).as("nothing more is spent").isEqualTo(5);

    ObjectNode more = AcceptanceApiClient.JSON.createObjectNode();
    more.putObject("budget").put("turns", 100);
    on.api.post("/runs/" + run + "/resume", more);

    JsonNode end = on.api.awaitStatus(run, "completed", END);
    assertThat(end.path("output").asText().strip()).isEqualTo(expected());
    assertThat(endpoint.requests().size() - before).isEqualTo(ANSWERS);
  }

  /** The real key is in no file of the stack: trace, object store, logs, homes. */
  private static void assertNoSecret(String run) throws IOException, InterruptedException {
    assertThat(on.api.events(run).toString()).doesNotContain(KEY);
    Files.walkFileTree(
        on.folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              assertThat(contains(file)).as("the key in " + file).isFalse();
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean contains(Path file) throws IOException {
    try {
      return Files.size(file) < 64 << 20
          && Files.readString(file, StandardCharsets.ISO_8859_1).contains(KEY);
    } catch (NoSuchFileException gone) {
      return false;
    }
  }
}
