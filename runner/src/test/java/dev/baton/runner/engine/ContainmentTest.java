/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An exception that no step expects fails its step, but neither the runner of its run nor other
 * runs.
 */
class ContainmentTest extends SharedRunnerTestBase {
  ContainmentTest(RunnerTestEnvironment services) {
    super(services);
  }

  @AfterEach
  void shouldStillCarryRuns() throws Exception {
    assertThat(run("{name: next, steps: [{id: a, transform: '1'}]}").awaitOutput())
        .isEqualTo(IntNode.valueOf(1));
    assertThat(runner.exit).isNotDone();
  }

  private void assertFailed(TestRun run, String code, String message) throws Exception {
    assertThat(run.awaitFailure().error().code()).isEqualTo(code);
    assertThat(run.awaitFailure().error().message()).contains(message);
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("failed");
  }

  @Test
  void shouldFailAStepWhoseVariableHoldsANul() throws Exception {
    TestRun run =
        run(
            """
            name: nul
            steps:
              - {id: read, shell: 'printf "left\\000right"', workspace: none}
              - {id: use, shell: 'printf %s "$TEXT"', env: {TEXT: "${{ .steps.read.output }}"}, retry: 3}
            """);

    assertFailed(run, "argument_invalid", "env TEXT");
    assertThat(run.events(TraceEvent.StepRetried.class)).isEmpty();
  }

  @Test
  void shouldFailAStepWhosePatternIsNone() throws Exception {
    assertThat(
            run(
                    "{name: p, steps: [{id: m, transform: '.input.p as $p | \"some text\" |"
                        + " test($p)'}]}",
                    "{\"p\": \"(\"}")
                .awaitFailure()
                .step())
        .isEqualTo("m");
    assertThat(
            run(
                    "{name: p, steps: [{id: a, transform: '1'}, {id: m, when: '.input.p as $p |"
                        + " \"x\" | test($p)', transform: '1'}]}",
                    "{\"p\": \"(\"}")
                .awaitFailure()
                .step())
        .isEqualTo("m");
    assertThat(
            run(
                    """
                    name: arms
                    steps:
                      - id: m
                        transform: '1'
                        next: [{when: '.input.p as $p | "x" | test($p)', to: n}]
                      - {id: n, transform: '2'}
                    """,
                    "{\"p\": \"(\"}")
                .awaitFailure()
                .step())
        .isEqualTo("m");
  }

  @Test
  void shouldFailABranchAndNotLoseIt() throws Exception {
    TestRun run =
        run(
            """
            name: branches
            steps:
              - id: each
                parallel:
                  over: '["(", "a"]'
                  steps: [{id: m, transform: '.run.branch.item as $p | "some text" | test($p)'}]
            """);

    assertThat(run.awaitFailure().error().message()).contains("branch 0");
  }

  @Test
  void shouldFailAStepThatNeedsMoreMemoryThanThereIs() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    functions.put(
        "greedy",
        (arguments, context) -> {
          calls.incrementAndGet();
          return IntNode.valueOf(new long[Integer.MAX_VALUE].length);
        });

    assertFailed(run("{name: g, steps: [{id: f, fn: greedy}]}"), "out_of_memory", "memory");
    assertThat(calls).hasValue(3);
  }

  @Test
  void shouldSpareAStepThatOnlyMetItsNeighboursGreed() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    functions.put(
        "innocent",
        (arguments, context) -> {
          if (calls.incrementAndGet() == 1) {
            throw new OutOfMemoryError("as of a neighbour");
          }
          return IntNode.valueOf(5);
        });
    TestRun run = run("{name: i, steps: [{id: f, fn: innocent}]}");

    assertThat(run.awaitOutput()).isEqualTo(IntNode.valueOf(5));
    assertThat(run.events(TraceEvent.StepRetried.class)).isEmpty();
    assertThat(run.completed("f").attempt()).isEqualTo(1);
  }

  @Test
  void shouldFailAStepThatIsNestedTooDeeply() throws Exception {
    functions.put("deep", (arguments, context) -> IntNode.valueOf(depth(0)));

    assertFailed(run("{name: d, steps: [{id: f, fn: deep}]}"), "stack_overflow", "too deeply");
  }

  private static int depth(int n) {
    return n == Integer.MIN_VALUE ? n : depth(n + 1) + 1;
  }

  @Test
  void shouldTryAgainWhatFailedUnexpectedlyByTheStepsOwnPolicy() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    functions.put(
        "twice",
        (arguments, context) -> {
          if (calls.incrementAndGet() < 3) {
            throw new StackOverflowError();
          }
          return IntNode.valueOf(calls.get());
        });
    TestRun run = run("{name: t, steps: [{id: f, fn: twice, retry: {max: 5, backoff: 1ms}}]}");

    assertThat(run.awaitOutput()).isEqualTo(IntNode.valueOf(3));
    assertThat(run.events(TraceEvent.StepRetried.class))
        .extracting(again -> again.error().code())
        .containsExactly("stack_overflow", "stack_overflow");
  }

  @Test
  void shouldFailAStepWhoseOutputFileIsAPipe() throws Exception {
    TestRun run = run("{name: pipe, steps: [{id: s, shell: 'mkfifo out', output: {file: out}}]}");

    assertFailed(run, "output_invalid", "not a regular file");
  }
}
