/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import dev.baton.runner.testkit.TestRunnerProcess;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damages checkpoints in the object store and checks what the next runner of the run does. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class DamagedCutTest {
  /** Without B's files, C would fail; with A's line twice, the output would be another. */
  private static final String WORKFLOW =
      """
      name: damaged
      park_after: 0s
      steps:
        - {id: a, shell: 'echo a >> log'}
        - {id: b, shell: 'echo b >> log; head -c 100000 /dev/urandom > blob'}
        - {id: review, approval: Go}
        - {id: c, shell: 'cat log; wc -c < blob', output: lines}
      """;

  private static final String EXPECTED = "[\"a\",\"b\",\"100000\"]";

  private final RunnerTestEnvironment services;

  DamagedCutTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  /** A way in which a checkpoint is lost. */
  enum Damage {
    PACKS_DELETED,
    PACKS_TRUNCATED,
    BYTE_FLIPPED,
    MANIFEST_DELETED,
    VERSION_99
  }

  private void damage(Damage how, String checkpoint, String except) throws Exception {
    switch (how) {
      case PACKS_DELETED -> services.store.losePacks(checkpoint);
      case PACKS_TRUNCATED ->
          services.store.changePacks(
              checkpoint, except, bytes -> Arrays.copyOf(bytes, bytes.length / 2));
      case BYTE_FLIPPED ->
          services.store.changePacks(
              checkpoint,
              except,
              bytes -> {
                bytes[bytes.length / 2] ^= 1;
                return bytes;
              });
      case MANIFEST_DELETED -> services.store.loseManifest(checkpoint);
      case VERSION_99 -> services.store.changeVersion(checkpoint, "99");
    }
  }

  private TestRunner runner(String mode) throws Exception {
    TestRunner runner = new TestRunner(services, Map.of(), Map.of("baton.runner.mode", mode));
    services.gateway.awaitHello(runner.id);
    return runner;
  }

  @ParameterizedTest
  @EnumSource
  void shouldRepeatWhatCameAfterTheNewestUndamagedCheckpoint(Damage how) throws Exception {
    TestRun run = new TestRun(services, WORKFLOW, "{}");
    try (TestRunner runner = runner("shared")) {
      run.start(runner.id);
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
      String older = checkpoint(run, "a");
      String newest = checkpoint(run, "b");

      damage(how, newest, older);
      run.start(runner.id);

      assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("parked");
      answerNewest(run, runner, "review");
      run.start(runner.id);
      assertThat(run.awaitOutput().toString()).isEqualTo(EXPECTED);
      assertThat(run.events(TraceEvent.StepCompleted.class))
          .extracting(TraceEvent.StepCompleted::step)
          .containsExactly("a", "b", "b", "review", "c");
      assertDegraded(run, newest);
      assertThat(run.events(TraceEvent.RunnerStarted.class))
          .extracting(TraceEvent.RunnerStarted::restored)
          .containsExactly(null, cut(run, "a").digest(), lastCut(run, "b").digest());
    }
  }

  /** The newest two are damaged, then all. */
  @ParameterizedTest
  @ValueSource(strings = {"isolated", "warm", "shared"})
  void shouldStartAgainWithoutAnyCheckpoint(String mode) throws Exception {
    TestRun run = new TestRun(services, WORKFLOW, "{}");
    try (TestRunner runner = runner("shared")) {
      run.start(runner.id);
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
    }
    services.store.losePacks(checkpoint(run, "b"));
    services.store.losePacks(checkpoint(run, "a"));

    run.nextEpoch();
    if (mode.equals("isolated")) {
      try (TestRunnerProcess process =
          new TestRunnerProcess(services, run, services.data().resolve("damaged-" + run.id))) {
        services.gateway.awaitHello(process.id);
        services.gateway.assign(process.id, run.assign());
        assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("parked");
      }
    } else {
      try (TestRunner runner = runner(mode)) {
        services.gateway.assign(runner.id, run.assign());
        assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("parked");
      }
    }

    TraceEvent.RunDegraded degraded = run.events(TraceEvent.RunDegraded.class).getFirst();
    assertThat(degraded.after()).isNull();
    assertThat(degraded.damaged()).hasSize(2);
    assertThat(run.events(TraceEvent.StepCompleted.class))
        .extracting(TraceEvent.StepCompleted::step)
        .containsExactly("a", "b", "a", "b");
    RunState state = services.trace.state(run.id, 0);
    assertThat(state.head().completed()).isEqualTo(2);
    assertThat(state.head().degraded()).isEqualTo(degraded.damaged());
    try (TestRunner runner = runner("shared")) {
      answerNewest(run, runner, "review");
      run.start(runner.id);
      assertThat(run.awaitOutput().toString()).isEqualTo(EXPECTED);
    }
  }

  @Test
  void shouldNotStartAgainIfTheRunSaysNever() throws Exception {
    TestRun run = new TestRun(services, WORKFLOW, "{}", "never");
    try (TestRunner runner = runner("shared")) {
      run.start(runner.id);
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
      services.store.loseManifest(checkpoint(run, "b"));
      services.store.loseManifest(checkpoint(run, "a"));

      for (int epoch = 2; epoch <= 3; epoch++) {
        run.start(runner.id);
        assertThat(services.gateway.awaitReleased(run.id, epoch).getOutcome()).isEqualTo("broken");
      }

      assertThat(run.events(TraceEvent.RunDegraded.class)).hasSize(1);
      assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(2);
      // What the orchestrator takes for: nothing is saved.
      assertThat(services.trace.state(run.id, 0).head().completed()).isZero();
    }
  }

  @Test
  void shouldGoBackWithTheWholeRunForABranch() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: damaged-branch
            park_after: 0s
            steps:
              - {id: a, shell: 'echo a >> log'}
              - id: p
                parallel:
                  branches:
                    left:
                      - {id: l, shell: 'echo l >> left; head -c 100000 /dev/urandom > blob'}
                      - {id: review, approval: Go}
                    right:
                      - {id: r, shell: 'echo r >> right'}
                      - {id: too, approval: Too}
              - {id: c, shell: 'cat log left right; wc -c < blob', output: lines}
            """,
            "{}");
    try (TestRunner runner = runner("shared")) {
      run.start(runner.id);
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
      String lost = checkpoint(run, "p/left/l");
      damage(Damage.BYTE_FLIPPED, lost, checkpoint(run, "a"));

      run.start(runner.id);

      assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("parked");
      TraceEvent.RunDegraded degraded = run.events(TraceEvent.RunDegraded.class).getFirst();
      assertThat(degraded.damaged())
          .singleElement()
          .satisfies(one -> assertThat(one.branch()).isEqualTo("p/left"));
      answerNewest(run, runner, "p/left/review");
      answerNewest(run, runner, "p/right/too");
      run.start(runner.id);
      assertThat(run.awaitOutput().toString()).isEqualTo("[\"a\",\"l\",\"r\",\"100000\"]");
      RunHead head = services.trace.state(run.id, 0).head();
      assertThat(head.gap()).isNull();
      assertThat(head.degraded()).extracting("checkpoint").containsExactly(lost);
    }
  }

  private static void answerNewest(TestRun run, TestRunner runner, String step) throws Exception {
    TraceEvent.ApprovalRequested newest =
        run.events(TraceEvent.ApprovalRequested.class).stream()
            .filter(asked -> asked.step().equals(step))
            .reduce((older, newer) -> newer)
            .orElseThrow();
    run.answer(runner.id, step, newest.approval(), "true");
  }

  private void assertDegraded(TestRun run, String checkpoint) throws Exception {
    RunHead head = services.trace.state(run.id, 0).head();
    assertThat(head.gap()).isNull();
    assertThat(head.degraded())
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.checkpoint()).isEqualTo(checkpoint);
              assertThat(lost.digest()).isEqualTo(cut(run, "b").digest());
              assertThat(lost.reason()).isNotEmpty();
            });
  }

  private static Cut cut(TestRun run, String step) {
    return Objects.requireNonNull(run.completed(step).cut());
  }

  private static Cut lastCut(TestRun run, String step) {
    return run.events(TraceEvent.StepCompleted.class).stream()
        .filter(done -> done.step().equals(step))
        .map(done -> Objects.requireNonNull(done.cut()))
        .reduce((older, newer) -> newer)
        .orElseThrow();
  }

  private static String checkpoint(TestRun run, String step) {
    return Objects.requireNonNull(cut(run, step).checkpoint());
  }
}
