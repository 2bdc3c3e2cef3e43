/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineTest extends SharedRunnerTestBase {
  EngineTest(RunnerTestEnvironment services) {
    super(services);
  }

  @Test
  void shouldWalkStepsInOrderAndReleaseTheRun() throws Exception {
    TestRun run =
        run(
            """
            name: order
            steps:
              - {id: a, transform: '.input.n + 1'}
              - {id: b, shell: 'echo $((N * 2)) && echo kept > file', env: {N: "${{ .steps.a.output }}"}, output: json}
              - {id: c, shell: 'sleep 0.2; cat file', workspace: none}
              - {id: d, transform: '{b: .steps.b.output, c: .steps.c.output, run: .run.id, all: .steps}'}
            """,
            "{\"n\": 4}");

    var output = run.awaitOutput();

    assertThat(output.path("b")).isEqualTo(IntNode.valueOf(10));
    assertThat(output.path("c").asText()).isEqualTo("kept");
    assertThat(output.path("run").asText()).isEqualTo(run.id);
    assertThat(output.path("all").has("d")).isFalse();
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("completed");
    assertThat(services.trace.state(run.id, 0).head().status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(services.trace.state(run.id, 0).head().gap()).isNull();
    List<TraceEvent.StepCompleted> done = run.events(TraceEvent.StepCompleted.class);
    assertThat(done).extracting(TraceEvent.StepCompleted::step).containsExactly("a", "b", "c", "d");
    assertThat(done.get(1).cut()).isNotNull();
    assertThat(done.get(1).log()).isNotNull();
    assertThat(done.get(2).cut()).isNull();
    assertThat(run.events(TraceEvent.StepStarted.class))
        .extracting(TraceEvent.StepStarted::step)
        .containsExactly("b", "c");
    assertThat(services.trace.malformed()).isEmpty();
  }

  @Test
  void shouldRetryOnTheFilesThatWereThereBefore() throws Exception {
    TestRun run =
        run(
            """
            name: retries
            steps:
              - {id: before, shell: 'echo 1 > n'}
              - id: flaky
                shell: |
                  echo more >> n
                  echo "attempt $BATON_ATTEMPT of $BATON_IDEMPOTENCY_KEY"
                  test "$BATON_ATTEMPT" = 3
                  wc -l < n
                retry: {max: 5, backoff: 10ms}
            """);

    assertThat(run.awaitOutput().asText()).endsWith("\n2");

    assertThat(run.events(TraceEvent.StepRetried.class))
        .extracting(e -> e.attempt() + " " + e.error().exitCode() + " " + e.delayMs())
        .containsExactly("1 1 10", "2 1 20");
    TraceEvent.StepRetried first = run.events(TraceEvent.StepRetried.class).getFirst();
    assertThat(first.log()).isNotNull();
    assertThat(String.valueOf(first.log())).contains("attempt 1 of " + run.id + "/flaky/1");
  }

  @Test
  void shouldFailTheRunWithTheStepsErrorWhenNoRetryIsLeft() throws Exception {
    TestRun run =
        run(
            """
            name: fails
            steps:
              - {id: bad, shell: 'exit 7', retry: {max: 1, backoff: 1ms}}
            """);

    TraceEvent.RunFailed failed = run.awaitFailure();

    assertThat(failed.step()).isEqualTo("bad");
    assertThat(failed.error().exitCode()).isEqualTo(7);
    assertThat(run.events(TraceEvent.StepFailed.class).getFirst().attempt()).isEqualTo(2);
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("failed");
  }

  @Test
  void shouldWaitForAnAnswer() throws Exception {
    TestRun run =
        run(
            """
            name: ask
            steps:
              - {id: ok, approval: {prompt: "Really ${{ .input.what }}?"}}
              - {id: after, transform: .steps.ok.output.by_hand}
            """,
            "{\"what\": \"go\"}");
    TraceEvent.ApprovalRequested asked =
        services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);
    assertThat(asked.prompt()).isEqualTo("Really go?");
    assertThat(asked.approval()).isEqualTo(run.id + "-ok-1");
    assertThat(services.trace.state(run.id, 0).head().status()).isEqualTo(RunStatus.WAITING);

    run.answer(runner.id, "ok", 1, "{\"approved\": true, \"by_hand\": 5}");

    assertThat(run.awaitOutput()).isEqualTo(IntNode.valueOf(5));
  }

  @Test
  void shouldFailWhenTheAnswerIsNo() throws Exception {
    TestRun run = run("{name: ask, steps: [{id: ok, approval: Go}]}");
    services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);

    run.answer(runner.id, "ok", 1, "{\"approved\": false}");

    assertThat(run.awaitFailure().error().code()).isEqualTo("rejected");
  }

  @Test
  void shouldTakeTheDefaultOrFailWhenNobodyAnswers() throws Exception {
    TestRun expires = run("{name: ask, steps: [{id: ok, approval: {prompt: Go, timeout: 50ms}}]}");
    TestRun defaults =
        run(
            "{name: ask, steps: [{id: ok, approval: {prompt: Go, timeout: 50ms, default: {approved: true, n: 1}}}]}");

    assertThat(expires.awaitFailure().error().code()).isEqualTo("expired");
    assertThat(defaults.awaitOutput().toString()).isEqualTo("{\"approved\":true,\"n\":1}");
  }

  @Test
  void shouldWaitNoLongerThanItSaysWhereAnEarlierClockWasAhead() throws Exception {
    Instant ahead = Instant.now().plus(Duration.ofDays(30));
    TestRun naps = new TestRun(services, "{name: nap, steps: [{id: a, wait: 1s}]}", "{}");
    naps.nextEpoch();
    naps.wrote(
        ahead,
        List.of(
            new TraceEvent.RunnerStarted("gone", 1L, "h", null, 0),
            new TraceEvent.StepStarted("a", "wait", 1, 1)));
    TestRun asks =
        new TestRun(
            services, "{name: ask, steps: [{id: ok, approval: {prompt: Go, timeout: 1s}}]}", "{}");
    asks.nextEpoch();
    asks.wrote(
        ahead,
        List.of(
            new TraceEvent.RunnerStarted("gone", 1L, "h", null, 0),
            new TraceEvent.ApprovalRequested(
                "ok", asks.id + "-ok-1", "Go", null, null, ahead.plusSeconds(1), null, null)));

    naps.start(runner.id);
    asks.start(runner.id);

    assertThat(services.gateway.awaitReleased(naps.id, 2).getOutcome()).isEqualTo("completed");
    assertThat(asks.awaitFailure().error().code()).isEqualTo("expired");
    assertThat(asks.events(TraceEvent.ApprovalRequested.class)).hasSize(1);
  }

  @Test
  void shouldSendLargeOutputsByReference() throws Exception {
    TestRun run =
        run(
            """
            name: large
            steps:
              - {id: big, shell: 'head -c 100000 /dev/zero | tr "\\0" x'}
              - {id: size, transform: '.steps.big.output | length'}
            """);

    assertThat(run.awaitOutput()).isEqualTo(IntNode.valueOf(100_000));
    assertThat(run.events(TraceEvent.StepCompleted.class).getFirst().output())
        .isInstanceOfSatisfying(
            Output.Ref.class, r -> assertThat(r.sizeBytes()).isEqualTo(100_002));
  }

  @Test
  void shouldFailAnApprovalWhosePromptIsTooLong() throws Exception {
    TestRun run =
        run(
            """
            name: prompt
            steps:
              - {id: text, transform: '"x" * 20000'}
              - {id: ask, approval: {prompt: "${{ .steps.text.output }}"}}
            """);
    run.awaitEnd();
    assertThat(run.events(TraceEvent.StepFailed.class).getFirst().error().message())
        .contains("20000", "16384");
  }

  @Test
  void shouldGoOnWithoutACutWhileTheObjectStoreIsAway() throws Exception {
    services.store.away = true;
    try {
      TestRun run =
          run(
              "{name: nocut, steps: [{id: s, shell: 'echo $RANDOM > unique; date +%N >> unique'}]}");
      run.awaitEnd();
      assertThat(run.events(TraceEvent.StepCompleted.class).getFirst().withoutCut()).isTrue();
      assertThat(run.events(TraceEvent.RunCompleted.class)).hasSize(1);
    } finally {
      services.store.away = false;
    }
  }

  @Test
  void shouldKeepTheFilesOfACompletedRunThatNoCutHas() throws Exception {
    services.store.away = true;
    try {
      TestRun run =
          run(
              """
              name: kept
              steps:
                - {id: s, shell: 'echo "$BATON_RUN_ID" > only'}
                - {id: after, transform: '1'}
              """);
      Path only = runner.data.resolve("runs/" + run.id + "/workspace/only");
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("completed");
      assertThat(only).hasContent(run.id);

      // The orchestrator missed the end of the run and assigns it to a runner again.
      run.start(runner.id);
      assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("completed");
      assertThat(only).hasContent(run.id);
    } finally {
      services.store.away = false;
    }
  }

  @Test
  void shouldCallFunctionsAndFailUnknownOnes() throws Exception {
    functions.put(
        "double", (arguments, context) -> IntNode.valueOf(arguments.path("n").asInt() * 2));
    TestRun good =
        run(
            "{name: fn, steps: [{id: f, fn: {bean: double, args: {n: '${{ .input.n }}'}}}]}",
            "{\"n\": 21}");
    TestRun bad = run("{name: fn, steps: [{id: f, fn: nothing}]}");

    assertThat(good.awaitOutput()).isEqualTo(IntNode.valueOf(42));
    assertThat(bad.awaitFailure().error().code()).isEqualTo("unsupported");
  }

  @Test
  void shouldFailAtTheRunsDeadline() throws Exception {
    TestRun run =
        new TestRun(services, "{name: late, steps: [{id: s, shell: 'sleep 60'}]}", "{}")
            .deadline(Instant.now().plusMillis(1_500))
            .start(runner.id);

    assertThat(run.awaitFailure().error().code()).isEqualTo("deadline_exceeded");
  }

  @Test
  void shouldFailAStepWhoseExpressionFails() throws Exception {
    TestRun run = run("{name: jq, steps: [{id: s, transform: '.input.x + {}'}]}", "{\"x\": 1}");

    assertThat(run.awaitFailure().error().code()).isEqualTo("expression");
  }

  @Test
  void shouldStopWhenCancelledAndWriteNothingMore() throws Exception {
    TestRun run = run("{name: cancel, steps: [{id: s, shell: 'sleep 60'}]}");
    services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);

    services.gateway.cancel(runner.id, run.id);

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("cancelled");
    assertThat(run.events(TraceEvent.RunFailed.class)).isEmpty();
  }

  @Test
  void shouldPauseBetweenSteps() throws Exception {
    TestRun run =
        run("{name: pause, steps: [{id: a, shell: 'sleep 0.3'}, {id: b, transform: '1'}]}");
    services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);

    services.gateway.pause(runner.id, run.id);

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
    assertThat(services.trace.await(run.id, TraceEvent.RunPaused.class, e -> true)).isNotNull();
    assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(1);
  }

  @Test
  void shouldIgnoreAPauseThatIsForAnotherEpoch() throws Exception {
    TestRun run =
        run("{name: pause, steps: [{id: a, shell: 'sleep 0.3'}, {id: b, transform: '1'}]}");
    services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);

    services.gateway.pause(runner.id, run.id, 2);

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("completed");
    assertThat(run.events(TraceEvent.RunPaused.class)).isEmpty();
  }

  @Test
  void shouldPauseInItsOwnEpoch() throws Exception {
    TestRun run = run("{name: pause, steps: [{id: ok, approval: Go}]}");
    services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);

    services.gateway.pause(runner.id, run.id, 1);

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
  }

  @Test
  void shouldPauseAtOnceWhereItOnlyWaits() throws Exception {
    for (String step :
        List.of(
            "{id: a, wait: 1h}",
            "{id: a, approval: Go}",
            "{id: a, shell: 'exit 1', retry: {max: 1, backoff: 1h}}")) {
      TestRun run = run("{name: pause, steps: [" + step + "]}");
      services.trace.await(
          run.id,
          all ->
              all.stream()
                  .anyMatch(
                      r ->
                          r.event() instanceof TraceEvent.ApprovalRequested
                              || r.event() instanceof TraceEvent.StepRetried
                              || (r.event() instanceof TraceEvent.StepStarted started
                                  && started.kind().equals("wait"))));

      services.gateway.pause(runner.id, run.id);

      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
      assertThat(run.events(TraceEvent.StepCompleted.class)).isEmpty();
      assertThat(run.events(TraceEvent.StepFailed.class)).isEmpty();
    }
  }

  @Test
  void shouldBePausedBeforeItsFirstStepWhenThatWasAskedForBeforeItWasAssigned() throws Exception {
    TestRun run = new TestRun(services, "{name: pause, steps: [{id: a, transform: '1'}]}", "{}");
    run.nextEpoch();

    services.gateway.assign(runner.id, run.assign().toBuilder().setPauseRequested(true).build());

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
    services.trace.await(run.id, TraceEvent.RunPaused.class, e -> true);
    assertThat(run.events(TraceEvent.StepCompleted.class)).isEmpty();
  }

  @Test
  void shouldKeepItsRunsWhenTheStreamBreaks() throws Exception {
    TestRun run = run("{name: hold, steps: [{id: ok, approval: Go}]}");
    services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);
    int before = services.gateway.hellos(runner.id);

    services.gateway.breakStream(runner.id);
    run.answer(runner.id, "ok", 1, "{\"approved\": true}");

    assertThat(run.awaitOutput().toString()).isEqualTo("{\"approved\":true}");
    assertThat(services.gateway.hellos(runner.id)).isGreaterThan(before);
    assertThat(services.gateway.awaitHello(runner.id).getHeldList())
        .anyMatch(held -> held.getRun().equals(run.id) && held.getStarted());
  }
}
