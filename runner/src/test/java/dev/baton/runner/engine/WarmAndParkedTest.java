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
import dev.baton.runner.RunnerExitCode;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A runner that waits for a run, and runs that wait without a runner. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class WarmAndParkedTest {
  private static final long PARK_AFTER_MS = 300;

  private final RunnerTestEnvironment services;

  WarmAndParkedTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private TestRunner runner(String mode) throws Exception {
    TestRunner runner = new TestRunner(services, Map.of(), Map.of("baton.runner.mode", mode));
    services.gateway.awaitHello(runner.id);
    return runner;
  }

  private TestRun park(TestRunner runner, String yaml) throws Exception {
    TestRun run = new TestRun(services, yaml, "{}");
    run.nextEpoch();
    services.gateway.assign(
        runner.id, run.assign().toBuilder().setParkAfterMillis(PARK_AFTER_MS).build());
    return run;
  }

  @Test
  void shouldServeOneRunRefuseASecondAndEnd() throws Exception {
    try (TestRunner runner = runner("warm")) {
      assertThat(services.gateway.awaitHello(runner.id).getMode()).isEqualTo("warm");
      TestRun first = new TestRun(services, "{name: w, steps: [{id: a, approval: Go}]}", "{}");
      first.start(runner.id);
      services.trace.await(first.id, TraceEvent.ApprovalRequested.class, e -> true);
      TestRun second = new TestRun(services, "{name: x, steps: [{id: a, transform: '1'}]}", "{}");

      second.start(runner.id);

      assertThat(services.gateway.awaitReleased(second.id, 1).getOutcome()).isEqualTo("stopped");
      first.answer(runner.id, "a", 1, "true");
      first.awaitEnd();
      assertThat(runner.exit.get(30, TimeUnit.SECONDS)).isEqualTo(RunnerExitCode.DONE);
      assertThat(second.events(TraceEvent.RunnerStarted.class)).isEmpty();
    }
  }

  @Test
  void shouldParkAQuestionOnlyAfterAWhileAndGoOnInTheNextEpoch() throws Exception {
    try (TestRunner runner = runner("shared")) {
      TestRun run =
          park(
              runner,
              "{name: p, steps: [{id: a, approval: Go}, {id: b, transform: '.steps.a.output.n'}]}");

      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
      TraceEvent.ApprovalRequested asked =
          run.events(TraceEvent.ApprovalRequested.class).getFirst();
      assertThat(run.events(TraceEvent.RunParked.class))
          .containsExactly(
              new TraceEvent.RunParked(null, null, List.of(asked.approval()), Map.of()));
      run.start(runner.id);
      run.answer(runner.id, "a", 1, "{\"n\": 7}");

      assertThat(run.awaitOutput()).isEqualTo(IntNode.valueOf(7));
      assertThat(run.events(TraceEvent.ApprovalRequested.class)).hasSize(1);
    }
  }

  @Test
  void shouldParkALongTimerAtOnceAndAShortOneNever() throws Exception {
    try (TestRunner runner = runner("shared")) {
      Instant before = Instant.now();
      TestRun longer = park(runner, "{name: l, steps: [{id: a, wait: 1h}]}");
      TestRun shorter = park(runner, "{name: s, steps: [{id: a, wait: 250ms}]}");

      assertThat(services.gateway.awaitReleased(longer.id, 1).getOutcome()).isEqualTo("parked");
      assertThat(services.gateway.awaitReleased(shorter.id, 1).getOutcome()).isEqualTo("completed");
      assertThat(longer.events(TraceEvent.RunParked.class))
          .singleElement()
          .satisfies(
              parked -> {
                assertThat(parked.resumeAt())
                    .isBetween(before.plusSeconds(3_590), Instant.now().plusSeconds(3_600));
                assertThat(parked.waitMs()).isBetween(3_590_000L, 3_600_000L);
              });
    }
  }

  /** Its start is on the trace with the time of a clock that was an hour ahead. */
  @Test
  void shouldEndAParkedWaitByTheTimeForWhichTheRunWasParked() throws Exception {
    try (TestRunner runner = runner("shared")) {
      TestRun run =
          park(
              runner,
              """
              name: c
              steps:
                - id: all
                  parallel:
                    branches:
                      one: [{id: a, wait: 1h}]
                      two: [{id: b, approval: {prompt: Go, timeout: 1h, schema: {type: integer}, default: 7}}]
              """);
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
      assertThat(run.events(TraceEvent.RunParked.class).getFirst().leftMs())
          .containsOnlyKeys("all/one/a", "all/two/b")
          .allSatisfy((path, ms) -> assertThat(ms).isBetween(3_590_000L, 3_600_000L));

      run.unpark(Duration.ofMinutes(50));
      services.gateway.assign(
          runner.id, run.assign().toBuilder().setParkAfterMillis(PARK_AFTER_MS).build());
      assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("parked");
      TraceEvent.RunParked again = run.events(TraceEvent.RunParked.class).getLast();
      assertThat(again.waitMs()).isBetween(590_000L, 600_000L);
      assertThat(again.leftMs().values()).allMatch(ms -> ms >= 590_000 && ms <= 600_000);

      run.unpark(Duration.ofMinutes(10));
      services.gateway.assign(
          runner.id, run.assign().toBuilder().setParkAfterMillis(PARK_AFTER_MS).build());
      assertThat(services.gateway.awaitReleased(run.id, 3).getOutcome()).isEqualTo("completed");
    }
  }

  @Test
  void shouldParkWhenTheWorkflowSaysSo() throws Exception {
    try (TestRunner runner = runner("shared")) {
      TestRun later = park(runner, "{name: l, park_after: 1h, steps: [{id: a, wait: 900ms}]}");
      TestRun atOnce = park(runner, "{name: o, park_after: 0s, steps: [{id: a, wait: 250ms}]}");

      assertThat(services.gateway.awaitReleased(later.id, 1).getOutcome()).isEqualTo("completed");
      assertThat(services.gateway.awaitReleased(atOnce.id, 1).getOutcome()).isEqualTo("parked");
    }
  }

  @Test
  void shouldParkForATimeOfTheDayByThat() throws Exception {
    try (TestRunner runner = runner("shared")) {
      Instant until = Instant.now().plusSeconds(7_200).truncatedTo(ChronoUnit.SECONDS);
      TestRun run = park(runner, "{name: u, steps: [{id: a, wait: {until: '" + until + "'}}]}");

      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");
      assertThat(run.events(TraceEvent.RunParked.class))
          .containsExactly(new TraceEvent.RunParked(until, null, List.of(), Map.of()));
    }
  }

  @Test
  void shouldParkABranchThatWaitsOnlyWhenNoOtherWorks() throws Exception {
    try (TestRunner runner = runner("shared")) {
      TestRun run =
          park(
              runner,
              """
              name: b
              steps:
                - id: both
                  parallel:
                    branches:
                      works: [{id: w, shell: 'sleep 1.5'}, {id: q, approval: Left}]
                      waits: [{id: l, wait: 1h}]
              """);

      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("parked");

      assertThat(run.events(TraceEvent.StepCompleted.class))
          .extracting(TraceEvent.StepCompleted::step)
          .containsExactly("both/works/w");
      assertThat(run.events(TraceEvent.RunParked.class).getFirst().approvals()).hasSize(1);
    }
  }
}
