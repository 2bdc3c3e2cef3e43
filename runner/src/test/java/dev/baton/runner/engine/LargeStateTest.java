/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunnerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs whose outputs are many times larger than a runner, a message or the store could hold,
 * executed by real processes with the usual heap. {@code -Dbaton.outputs=100000} sets the number of
 * outputs.
 */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class LargeStateTest {
  private static final int OUTPUTS = Integer.getInteger("baton.outputs", 1_000);

  /** Branches of one parallel step; there are as many parallel steps as needed. */
  private static final int WIDTH = 1_000;

  private static final int PAGE = 60_000;

  private static final Duration LONG = Duration.ofMinutes(2).plusMillis(50L * OUTPUTS);

  private final RunnerTestEnvironment services;

  LargeStateTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private TestRunnerProcess attach(TestRun run, Path data) throws Exception {
    TestRunnerProcess process = new TestRunnerProcess(services, run, data);
    services.gateway.awaitHello(process.id);
    services.gateway.assign(process.id, run.assign());
    return process;
  }

  private void await(TestRun run, Class<? extends TraceEvent> type, int number)
      throws InterruptedException {
    services.trace.await(
        run.id,
        all -> all.stream().filter(r -> type.isInstance(r.event())).count() >= number,
        LONG);
  }

  private JsonNode output(TestRun run) throws InterruptedException {
    services.trace.await(
        run.id,
        all ->
            all.stream()
                .anyMatch(
                    r ->
                        r.event() instanceof TraceEvent.RunCompleted
                            || r.event() instanceof TraceEvent.RunFailed),
        LONG);
    return run.awaitOutput();
  }

  @Test
  void shouldGoOnAfterMoreOutputThanFitsAnywhere() throws Exception {
    int chapters = Math.max(1, OUTPUTS / WIDTH);
    TestRun run =
        new TestRun(
            services,
            """
            name: large
            steps:
              - id: book
                parallel:
                  over: '[range(%d)]'
                  max: 2
                  steps:
                    - id: chapter
                      parallel:
                        over: '[range(%d)]'
                        max: 16
                        steps:
                          - {id: page, transform: '"\\(.run.branch.index) " + "x" * %d'}
                          - {id: size, transform: '.steps.page.output | length'}
                    - {id: ask, when: '.run.branch.index == 0', approval: Go}
                    - {id: sum, transform: '.steps.chapter.output | add'}
              - {id: total, transform: '.steps.book.output | add'}
            """
                .formatted(chapters, WIDTH, PAGE),
            "{}");
    Path data = services.data().resolve("large-" + run.id);
    run.nextEpoch();
    try (TestRunnerProcess first = attach(run, data)) {
      await(run, TraceEvent.ApprovalRequested.class, 1);
      services.trace.await(
          run.id,
          all ->
              all.stream()
                      .filter(
                          r ->
                              r.event() instanceof TraceEvent.StepCompleted done
                                  && done.step().endsWith("/sum"))
                      .count()
                  == chapters - 1,
          LONG);
      first.kill();
    }
    RunState state = services.trace.state(run.id, 0);
    assertThat(Json.bytes(state).length)
        .as("bytes of the state of %d outputs of %d", chapters * WIDTH, PAGE)
        .isLessThan((4 << 20) + chapters * WIDTH * 1_500);

    run.nextEpoch();
    try (TestRunnerProcess second = attach(run, data)) {
      run.answer(second.id, "book/0/ask", 1, "true");
      int digits = 10 + 90 * 2 + 900 * 3;
      assertThat(output(run).asLong()).isEqualTo((long) chapters * (WIDTH * (PAGE + 1L) + digits));
      assertThat(second.awaitExit()).isZero();
    }
  }

  @Test
  void shouldPutTogetherWhatBranchesLeftWithoutHavingIt() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: together
            steps:
              - id: each
                parallel:
                  over: '[range(1500)]'
                  max: 16
                  steps:
                    - {id: page, transform: '"\\(.run.branch.index) " + "x" * 60000'}
              - {id: same, transform: '.steps.each.output | length'}
              - {id: nap, wait: 10ms}
              - id: looks
                transform: >-
                  [(.steps.each.output | length), .steps.each.output[1234][0:4],
                   ([.steps.each.output[] | length] | add), (.steps.each.output[-1] | .[0:4])]
            """,
            "{}");
    run.nextEpoch();
    try (TestRunnerProcess process = attach(run, services.data().resolve("together-" + run.id))) {
      assertThat(output(run).toString())
          .isEqualTo(
              "[1500,\"1234\"," + (1500L * 60_001 + 10 + 180 + 2_700 + 2_000) + ",\"1499\"]");
      assertThat(process.awaitExit()).isZero();
    }
    assertThat(run.completed("each").output())
        .isInstanceOfSatisfying(
            Output.Ref.class,
            ref -> {
              assertThat(ref.parts()).isEqualTo(1500);
              assertThat(ref.sizeBytes()).isGreaterThan(1500L * 60_000);
            });
  }

  @Test
  void shouldFailTheStepThatWouldMakeTheStateTooLarge() throws Exception {
    services.store.maxStateBytes = 1 << 20;
    try {
      TestRun run =
          new TestRun(
              services,
              """
              name: many
              steps:
                - id: each
                  parallel:
                    over: '[range(3000)]'
                    max: 16
                    steps:
                      - {id: one, transform: '.run.branch.index'}
              """,
              "{}");
      run.nextEpoch();
      try (TestRunnerProcess process = attach(run, services.data().resolve("many-" + run.id))) {
        await(run, TraceEvent.RunFailed.class, 1);
        TraceEvent.RunFailed failed = run.awaitFailure();
        assertThat(failed.error().code()).isEqualTo("state_too_large");
        assertThat(failed.error().message())
            .contains("allowed: 917504")
            .contains("baton.snapshot.max-bytes");
        assertThat(process.awaitExit()).isZero();
      }
      List<TraceEvent.StepCompleted> done = run.events(TraceEvent.StepCompleted.class);
      assertThat(done).hasSizeBetween(500, 2_999);
    } finally {
      services.store.maxStateBytes = 128 << 20;
    }
  }

  @Test
  void shouldEndARunWhoseStateNoRunnerGets() throws Exception {
    TestRun run =
        new TestRun(
            services, "{name: old, steps: [{id: a, transform: '1'}, {id: b, wait: 1h}]}", "{}");
    run.nextEpoch();
    run.wrote(
        List.of(
            new TraceEvent.RunnerStarted("gone", 1L, "h", null, 0),
            new TraceEvent.StepStarted("a", "transform", 1, 1)));
    run.nextEpoch();
    services.store.maxStateBytes = 100;
    try (TestRunnerProcess process = attach(run, services.data().resolve("old-" + run.id))) {
      TraceEvent.RunFailed failed = run.awaitFailure();
      assertThat(failed.error().code()).isEqualTo("state_too_large");
      assertThat(process.awaitExit()).isZero();
    } finally {
      services.store.maxStateBytes = 128 << 20;
    }
  }
}
