/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.RunnerExitCode;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that arrive late or twice: of older, the same and newer epochs. */
class LateMessageTest extends SharedRunnerTestBase {
  private static final String ASKS =
      "{name: late, steps: [{id: ok, approval: Go}, {id: b, transform: '1'}]}";

  private @TempDir Path folder;

  LateMessageTest(RunnerTestEnvironment services) {
    super(services);
  }

  /** Returns a run whose step has an effect outside of its workspace. */
  private TestRun counting(Path effects) throws Exception {
    return run("{name: once, steps: [{id: a, shell: 'echo $BATON_EPOCH >> " + effects + "'}]}");
  }

  private static Assign pausing(Assign assign) {
    return assign.toBuilder().setPauseRequested(true).build();
  }

  private TraceEvent.ApprovalRequested asked(TestRun run) throws Exception {
    return services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> true);
  }

  /** Sends messages that are handled after all earlier ones, and waits until they are. */
  private void awaitHandled() throws Exception {
    TestRun other = run("{name: barrier, steps: [{id: a, transform: '1'}]}");
    services.gateway.awaitReleased(other.id, 1);
  }

  @Test
  void shouldIgnoreTheAssignmentAndThePauseOfAnOlderEpoch() throws Exception {
    TestRun run = new TestRun(services, ASKS, "{}");
    run.nextEpoch();
    Assign first = run.assign();
    run.start(runner.id);
    // Requested in epoch 2, so its id has the epoch.
    TraceEvent.ApprovalRequested question = asked(run);
    assertThat(question.approval()).isEqualTo(run.id + "-ok-1-2");

    services.gateway.assign(runner.id, pausing(first));
    services.gateway.pause(runner.id, run.id, 1);
    services.gateway.fence(runner.id, run.id, 1);
    run.answer(runner.id, "ok", question.approval(), "true");

    assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("completed");
    assertThat(run.events(TraceEvent.RunPaused.class)).isEmpty();
    assertThat(run.events(TraceEvent.ApprovalRequested.class)).hasSize(1);
  }

  @Test
  void shouldKeepTheFirstOfTwoAnswersAndIgnoreOneToAnotherQuestion() throws Exception {
    TestRun run = run("{name: late, steps: [{id: ok, approval: Go}, {id: again, approval: Go}]}");
    asked(run);
    services.gateway.answer(runner.id, run.id, run.id + "-ok-1-7", "\"other\"");
    run.answer(runner.id, "ok", 1, "\"first\"");
    services.gateway.answer(runner.id, run.id, run.id + "-ok-1", "\"second\"");
    services.trace.await(run.id, TraceEvent.ApprovalRequested.class, e -> e.step().equals("again"));

    run.answer(runner.id, "again", 1, "\"end\"");

    assertThat(run.awaitOutput().asText()).isEqualTo("end");
    assertThat(run.completed("ok").output()).asString().contains("first");
  }

  @Test
  void shouldNotBeginAgainARunThatHasEndedHereInTheSameEpoch() throws Exception {
    Path effects = folder.resolve("same");
    TestRun run = counting(effects);
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("completed");
    services.gateway.forgetReleased(run.id);

    services.gateway.assign(runner.id, run.assign());

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("completed");
    awaitHandled();
    assertThat(Files.readAllLines(effects)).containsExactly("1");
  }

  @Test
  void shouldNotBeginAnOlderEpochOfARunThatHasEndedHere() throws Exception {
    Path effects = folder.resolve("older");
    TestRun run =
        new TestRun(
            services,
            "{name: once, steps: [{id: a, shell: 'echo $BATON_EPOCH >> " + effects + "'}]}",
            "{}");
    run.nextEpoch();
    Assign first = run.assign();
    run.start(runner.id);
    assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("completed");

    services.gateway.assign(runner.id, first);

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("fenced");
    assertThat(Files.readAllLines(effects)).containsExactly("2");
  }

  @Test
  void shouldNotPauseARunAgainThatWasResumedElsewhere() throws Exception {
    TestRun run = run(ASKS);
    asked(run);
    services.gateway.pause(runner.id, run.id, 1);
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
    services.gateway.forgetReleased(run.id);

    services.gateway.assign(runner.id, pausing(run.assign()));

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
    awaitHandled();
    assertThat(run.events(TraceEvent.RunPaused.class)).hasSize(1);
  }

  @Test
  void shouldTakeANewerEpochOfARunThatHasEndedHere() throws Exception {
    TestRun run = run(ASKS);
    asked(run);
    services.gateway.pause(runner.id, run.id, 1);
    services.gateway.awaitReleased(run.id, 1);

    run.resume();
    services.gateway.assign(runner.id, run.assign());
    run.answer(runner.id, "ok", 1, "true");

    assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("completed");
  }

  @Test
  void shouldStopAnEpochThatANewerOneHasFenced() throws Exception {
    TestRun run = run(ASKS);
    asked(run);

    // Of a newer epoch that is fenced, too, so this one has been for longer.
    services.gateway.fence(runner.id, run.id, 2);

    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("fenced");
  }

  @Test
  void shouldPauseAndCancelByARepeatedAssignmentOfItsOwnEpoch() throws Exception {
    TestRun pauses = run(ASKS);
    TestRun ends = run(ASKS);
    for (TestRun run : List.of(pauses, ends)) {
      asked(run);
      services.gateway.assign(runner.id, run.assign());
    }

    services.gateway.assign(runner.id, pausing(pauses.assign()));
    services.gateway.assign(runner.id, ends.assign().toBuilder().setCancelled(true).build());

    assertThat(services.gateway.awaitReleased(pauses.id, 1).getOutcome()).isEqualTo("paused");
    assertThat(services.gateway.awaitReleased(ends.id, 1).getOutcome()).isEqualTo("cancelled");
  }

  @Test
  void shouldNotEndAnIsolatedRunnerByTheFenceOfAnEpochBefore() throws Exception {
    TestRun run = new TestRun(services, ASKS, "{}");
    run.nextEpoch();
    run.nextEpoch();
    try (TestRunner isolated =
        new TestRunner(
            services,
            Map.of(),
            Map.of(
                "baton.runner.mode", "isolated",
                "baton.run.id", run.id,
                "baton.epoch", "2",
                "baton.lease", "none"))) {
      services.gateway.awaitHello(isolated.id);
      services.gateway.fence(isolated.id, run.id, 1);
      services.gateway.assign(isolated.id, run.assign());
      TraceEvent.ApprovalRequested question = asked(run);
      assertThat(isolated.exit).as("after the first fence").isNotDone();
      services.gateway.fence(isolated.id, run.id, 1);
      run.answer(isolated.id, "ok", question.approval(), "true");

      assertThat(services.gateway.awaitReleased(run.id, 2).getOutcome()).isEqualTo("completed");
      assertThat(isolated.exit.get(30, TimeUnit.SECONDS)).isEqualTo(RunnerExitCode.DONE);
    }
  }
}
