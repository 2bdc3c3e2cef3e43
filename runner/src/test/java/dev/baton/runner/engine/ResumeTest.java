/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunnerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Kills real runner processes and checks what the next one does. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class ResumeTest {
  private static final String PIPELINE =
      """
      name: pipeline
      steps:
        - {id: a, shell: 'echo a >> log; sleep 0.15; echo one'}
        - id: lap
          shell: 'echo "lap $N" >> log; sleep 0.1; echo "$N"'
          env: {N: "${{ (.steps.lap.output // 0) + 1 }}"}
          output: json
          next: [{when: .steps.lap.output < 3, to: lap}]
          max_visits: 5
        - {id: shape, transform: '[.steps.lap.output, .steps.a.output]'}
        - id: each
          parallel:
            over: '["x", "y", "z"]'
            max: 2
            steps:
              - {id: w1, shell: 'echo "$I" > "f-$I"; sleep 0.1', env: {I: "${{ .run.branch.item }}"}}
              - {id: w2, shell: 'echo again >> "f-$I"; sleep 0.1; cat "f-$I"', env: {I: "${{ .run.branch.item }}"}, output: lines}
        - {id: nap, wait: 300ms}
        - {id: sum, shell: 'cat log f-*', output: lines}
        - {id: last, transform: '{sum: .steps.sum.output, each: .steps.each.output, shape: .steps.shape.output}'}
      """;

  private static final String EXPECTED =
      "{\"sum\":[\"a\",\"lap 1\",\"lap 2\",\"lap 3\",\"x\",\"again\",\"y\",\"again\",\"z\",\"again\"],"
          + "\"each\":[[\"x\",\"again\"],[\"y\",\"again\"],[\"z\",\"again\"]],\"shape\":[3,\"one\"]}";

  private final RunnerTestEnvironment services;

  ResumeTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private TestRunnerProcess attach(TestRun run, Path data) throws Exception {
    run.nextEpoch();
    return attachNow(run, data);
  }

  private TestRunnerProcess attachNow(TestRun run, Path data) throws Exception {
    TestRunnerProcess process = new TestRunnerProcess(services, run, data);
    var hello = services.gateway.awaitHello(process.id);
    assertThat(hello.getHeldList())
        .singleElement()
        .satisfies(held -> assertThat(held.getEpoch()).isEqualTo(run.epoch()));
    services.gateway.assign(process.id, run.assign());
    return process;
  }

  @Test
  void shouldFinishAsIfNothingHadHappenedHoweverOftenItIsKilled() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dbaton.seed)");
    Random random = new Random(seed);
    TestRun run = new TestRun(services, PIPELINE, "{}");
    Path data = services.data().resolve("resume-" + run.id);

    for (int kill = 0; kill < 4; kill++) {
      try (TestRunnerProcess process = attach(run, data)) {
        awaitRecord(run, process);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(900));
      }
      killStepsOf(run);
    }
    JsonNode output;
    try (TestRunnerProcess process = attach(run, data)) {
      output = run.awaitOutput();
      assertThat(process.awaitExit()).isZero();
    }

    assertThat(output.toString()).isEqualTo(EXPECTED);
    assertThat(services.trace.state(run.id, 0).head().status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(services.trace.state(run.id, 0).head().gap()).isNull();
    assertThatNoStepCompletedTwice(run);
    assertThat(data.resolve("runs/" + run.id)).as("files of a completed run").doesNotExist();
  }

  /** Waits for the first record of the present epoch's runner. */
  private void awaitRecord(TestRun run, TestRunnerProcess process) throws Exception {
    int epoch = run.epoch();
    try {
      services.trace.await(
          run.id, all -> all.stream().anyMatch(r -> r.id().lane().epoch() == epoch));
    } catch (AssertionError e) {
      throw new AssertionError(
          "no record of epoch %d: %s".formatted(epoch, process.diagnosis()), e);
    }
  }

  /**
   * Kills the remaining processes, like the orchestrator's launcher before it starts a replacement.
   */
  private static void killStepsOf(TestRun run) {
    ProcessHandle.allProcesses()
        .filter(
            p -> {
              try {
                return Files.readString(Path.of("/proc/" + p.pid() + "/environ"))
                    .contains("BATON_RUN_ID=" + run.id);
              } catch (java.io.IOException notOurs) {
                return false;
              }
            })
        .forEach(ProcessHandle::destroyForcibly);
  }

  private void assertThatNoStepCompletedTwice(TestRun run) {
    Map<String, Integer> completions = new HashMap<>();
    for (TraceRecord record : services.trace.records(run.id)) {
      if (record.event() instanceof TraceEvent.StepCompleted done) {
        completions.merge(done.step() + "#" + done.visit(), 1, Integer::sum);
      }
    }
    // An event of a killed runner that reached the log after the replacement was assigned is fenced
    // and not in these records, so it is not a repetition.
    assertThat(completions).allSatisfy((step, times) -> assertThat(times).as(step).isEqualTo(1));
    assertThat(completions).containsKeys("a#1", "lap#3", "each/2/w2#1", "last#1");
  }

  /** At a size where this could be slow. */
  @Test
  void shouldTellTenThousandCompletedStepsAgainWithoutWaitingForEach() throws Exception {
    int branches = 10_000;
    TestRun run =
        new TestRun(
            services,
            """
            name: wide
            steps:
              - id: each
                parallel:
                  over: '[range(%d)]'
                  steps:
                    - {id: one, transform: '.run.branch.item'}
              - {id: ask, approval: Go}
              - {id: sum, transform: '.steps.each.output | add'}
            """
                .formatted(branches),
            "{}");
    run.nextEpoch();
    run.wrote(wide(branches));
    run.resume();
    try (TestRunnerProcess process = attachNow(run, services.data().resolve("wide-" + run.id))) {
      services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);
      List<TraceRecord> again =
          services.trace.records(run.id).stream()
              .filter(r -> r.event() instanceof TraceEvent.StepSkipped skip && skip.tellsAgain())
              .toList();
      assertThat(again).hasSize(branches + 1);
      TraceRecord asked = first(run, TraceEvent.ApprovalRequested.class, 2);
      Duration took =
          Duration.between(first(run, TraceEvent.RunnerStarted.class, 2).time(), asked.time());
      System.out.println(
          branches + " steps were published again within " + took.toMillis() + " ms");
      assertThat(took).isLessThan(Duration.ofSeconds(10));
      run.answer(process.id, "ask", run.id + "-ask-1-2", "true");
      assertThat(run.awaitOutput().asLong()).isEqualTo(branches * (branches - 1L) / 2);
      assertThat(process.awaitExit()).isZero();
    }
    assertThat(services.trace.state(run.id, 0).head().skipped()).isZero();
  }

  /** The events of a run that has executed every branch and was then paused. */
  private static List<TraceEvent.Runner> wide(int branches) {
    List<TraceEvent.Runner> events = new ArrayList<>();
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < branches; i++) {
      all.add(i);
      events.add(completed("each/" + i + "/one", "transform", IntNode.valueOf(i), List.of()));
    }
    events.add(completed("each", "parallel", all, List.of("ask")));
    events.add(new TraceEvent.RunPaused(null));
    return events;
  }

  private static TraceEvent.Runner completed(
      String step, String kind, JsonNode output, List<String> next) {
    return new TraceEvent.StepCompleted(
        step,
        kind,
        1,
        1,
        new Output.Inline(output),
        null,
        false,
        next,
        null,
        null,
        Instant.now(),
        1,
        null,
        null);
  }

  @Test
  void shouldKeepFailedAttemptsAndTimersOverADeath() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: attempts
            steps:
              - {id: nap, wait: 1500ms}
              - {id: flaky, shell: 'echo "$BATON_ATTEMPT $BATON_IDEMPOTENCY_KEY"; test "$BATON_ATTEMPT" = 3', retry: {max: 2, backoff: 1s}}
            """,
            "{}");
    Path data = services.data().resolve("attempts-" + run.id);
    try (TestRunnerProcess first = attach(run, data)) {
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
      TimeUnit.MILLISECONDS.sleep(300);
    }
    try (TestRunnerProcess second = attach(run, data)) {
      services.trace.await(run.id, TraceEvent.StepRetried.class, e -> e.attempt() == 1);
    }
    try (TestRunnerProcess third = attach(run, data)) {
      assertThat(run.awaitOutput().asText()).isEqualTo("3 " + run.id + "/flaky/1");
      assertThat(third.awaitExit()).isZero();
    }
    assertThat(run.events(TraceEvent.StepRetried.class))
        .extracting(TraceEvent.StepRetried::attempt)
        .containsExactly(1, 2);
    TraceRecord slept = first(run, TraceEvent.StepStarted.class, 1);
    TraceRecord resumed = first(run, TraceEvent.RunnerStarted.class, 2);
    TraceRecord woke = first(run, TraceEvent.StepCompleted.class, 2);
    assertThat(woke.time()).isAfterOrEqualTo(slept.time().plusMillis(1_500));
    assertThat(woke.time()).isBefore(resumed.time().plusMillis(1_500));
  }

  private TraceRecord first(TestRun run, Class<? extends TraceEvent> type, int epoch) {
    return services.trace.records(run.id).stream()
        .filter(r -> r.id().lane().epoch() == epoch && type.isInstance(r.event()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldCutAndExitOnSigterm() throws Exception {
    TestRun run =
        new TestRun(
            services,
            "{name: term, steps: [{id: s, shell: 'echo half > file; test -f done || sleep 60; cat file'}]}",
            "{}");
    Path data = services.data().resolve("term-" + run.id);
    Path file = data.resolve("runs/" + run.id + "/workspace/file");
    try (TestRunnerProcess process = attach(run, data)) {
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
      awaitFile(file);

      process.process.destroy();

      assertThat(process.awaitExit()).isEqualTo(143);
    }
    TraceEvent.CheckpointSaved saved =
        services.trace.await(run.id, TraceEvent.CheckpointSaved.class, e -> true);
    assertThat(saved.trigger()).isEqualTo("shutdown");
    assertThat(saved.cut()).isNotNull();
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("stopped");
    assertThatNoProcessIsLeftOf(run);
  }

  @Test
  void shouldGoOnUntilItsRunIsAskedForAndRepeatNothing() throws Exception {
    TestRun run =
        new TestRun(
            services,
            "{name: leave, steps: [{id: a, shell: 'echo up > file; until test -e done; do sleep 0.05; done'}, {id: b, wait: 1h}]}",
            "{}");
    Path data = services.data().resolve("leave-" + run.id);
    Path file = data.resolve("runs/" + run.id + "/workspace/file");
    try (TestRunnerProcess process = attach(run, data)) {
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
      awaitFile(file);

      process.process.destroy();
      assertThat(services.gateway.awaitLeaving(process.id).getReason()).isEqualTo("terminated");
      Files.createFile(file.resolveSibling("done"));
      services.trace.await(run.id, TraceEvent.StepCompleted.class, e -> true);
      services.gateway.handOver(process.id, run.id, 1, false);

      assertThat(process.awaitExit()).isEqualTo(143);
    }
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("stopped");
    assertThat(
            services.trace.records(run.id).stream().map(r -> r.event().getClass().getSimpleName()))
        .contains("StepCompleted")
        .doesNotContain("CheckpointSaved", "RunCompleted");
  }

  @Test
  void shouldKillItsStepsAndWriteNothingMoreWhenFenced() throws Exception {
    TestRun run =
        new TestRun(
            services,
            "{name: fenced, steps: [{id: s, shell: 'setsid sleep 300 & echo up > file; sleep 300'}]}",
            "{}");
    Path data = services.data().resolve("fenced-" + run.id);
    try (TestRunnerProcess process = attach(run, data)) {
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
      awaitFile(data.resolve("runs/" + run.id + "/workspace/file"));

      services.gateway.fence(process.id, run.id, 1);

      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("fenced");
      assertThat(process.awaitExit()).isZero();
    }
    assertThat(run.events(TraceEvent.StepFailed.class)).isEmpty();
    assertThatNoProcessIsLeftOf(run);
  }

  @Test
  void shouldAskAgainWhatWasAskedOnFilesThatAreLost() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: again
            steps:
              - {id: build, shell: 'echo built > file'}
              - {id: ask, approval: Go on}
              - {id: nap, wait: 10m}
            """,
            "{}");
    Path data = services.data().resolve("again-" + run.id);
    services.store.away = true;
    try (TestRunnerProcess process = attach(run, data)) {
      TraceEvent.ApprovalRequested first =
          services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);
      run.answer(process.id, "ask", first.approval(), "{\"approved\": true}");
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> e.step().equals("nap"));
    } finally {
      services.store.away = false;
    }

    try (TestRunnerProcess process = attach(run, data)) {
      TraceEvent.ApprovalRequested second =
          services.trace.await(
              run.id, TraceEvent.ApprovalRequested.class, e -> e.approval().endsWith("-ask-1-2"));
      assertThat(second.step()).isEqualTo("ask");
      assertThat(run.events(TraceEvent.StepCompleted.class).stream().map(e -> e.step()).toList())
          .containsExactly("build", "ask", "build");
    }
  }

  @Test
  void shouldAskAgainWhereItFindsOtherFilesThanThoseOfTheQuestion() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: other
            steps:
              - {id: one, shell: 'echo 1 > file'}
              - {id: two, shell: 'echo 2 > file'}
              - {id: ask, approval: Go on}
            """,
            "{}");
    Path data = services.data().resolve("other-" + run.id);
    TraceEvent.ApprovalRequested asked;
    try (TestRunnerProcess process = attach(run, data)) {
      asked = services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);
      assertThat(asked.cut()).isEqualTo(digest(run, "two"));
    }

    // The same files, so the question is still valid.
    try (TestRunnerProcess process = attach(run, data)) {
      services.trace.await(
          run.id, TraceEvent.RunnerStarted.class, e -> e.runner().equals(process.id));
      awaitFile(data.resolve("runs/" + run.id + "/workspace/file"));
    }
    // Other files, and an answer about the previous ones.
    run.late(
        new TraceEvent.StepCompleted(
            "two",
            "shell",
            2,
            1,
            null,
            run.completed("one").cut(),
            false,
            List.of("ask"),
            0,
            null,
            null,
            0,
            null,
            null));
    try (TestRunnerProcess process = attach(run, data)) {
      TraceEvent.ApprovalRequested again =
          services.trace.await(
              run.id,
              TraceEvent.ApprovalRequested.class,
              e -> !e.approval().equals(asked.approval()));
      run.answer(process.id, "ask", asked.approval(), "{\"approved\": false}");
      assertThat(again.approval()).isEqualTo(asked.approval() + "-3");
      assertThat(again.cut()).isEqualTo(digest(run, "one"));
      assertThat(data.resolve("runs/" + run.id + "/workspace/file")).hasContent("1\n");
      run.answer(process.id, "ask", again.approval(), "{\"approved\": true}");

      assertThat(run.awaitOutput().toString()).isEqualTo("{\"approved\":true}");
    }
    assertThat(run.events(TraceEvent.ApprovalRequested.class)).hasSize(2);
  }

  private static String digest(TestRun run, String step) {
    return Objects.requireNonNull(run.completed(step).cut()).digest();
  }

  private static void awaitFile(Path file) throws InterruptedException {
    for (int i = 0; i < 500 && !Files.exists(file); i++) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertThat(file).exists();
  }

  private static void assertThatNoProcessIsLeftOf(TestRun run) {
    assertThat(ProcessHandle.allProcesses())
        .noneMatch(
            p -> {
              try {
                return p.isAlive()
                    && Files.readString(Path.of("/proc/" + p.pid() + "/environ"))
                        .contains("BATON_RUN_ID=" + run.id);
              } catch (java.io.IOException gone) {
                return false;
              }
            });
  }
}
