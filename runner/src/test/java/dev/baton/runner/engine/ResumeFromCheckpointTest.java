/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A step that starts again on the files of the newest checkpoint inside it. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class ResumeFromCheckpointTest {
  /** Each attempt adds a line, and waits until the test lets it continue, or lets it fail. */
  private static final String WORKFLOW =
      """
      name: resumes
      steps:
        - {id: before, shell: 'echo before > log'}
        - id: long
          retry: {max: 3, backoff: 1ms}
          resume: FROM_WHERE
          output: lines
          shell: |
            echo "$BATON_STEP_ID $BATON_EPOCH.$BATON_ATTEMPT ${BATON_RESUMED_FROM:-start}" >> log
            at=FOLDER/$BATON_STEP_ID-$BATON_EPOCH.$BATON_ATTEMPT
            touch $at.begun
            until [ -e $at.go ]; do sleep 0.05; done
            if grep -q fail $at.go; then exit 1; fi
            cat log
      """;

  private final RunnerTestEnvironment services;

  @TempDir Path folder;

  ResumeFromCheckpointTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private TestRunner runner(String interval) throws Exception {
    TestRunner runner =
        new TestRunner(services, Map.of(), Map.of("baton.checkpoint.interval", interval));
    services.gateway.awaitHello(runner.id);
    return runner;
  }

  private TestRunner runner() throws Exception {
    return runner("1h");
  }

  private String workflow(String resume) {
    return WORKFLOW.replace("FROM_WHERE", resume).replace("FOLDER", folder.toString());
  }

  private void await(String name) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!Files.exists(folder.resolve(name))) {
      assertThat(System.nanoTime()).as(name).isLessThan(end);
      Thread.sleep(20);
    }
  }

  private void go(String attempt, String how) throws Exception {
    Path order = Files.writeString(folder.resolve(attempt + ".order"), how);
    Files.move(order, folder.resolve(attempt + ".go"));
  }

  private String checkpoint(TestRun run, TestRunner runner) throws Exception {
    String id = RunId.next();
    services.gateway.checkpoint(runner.id, run.id, "manual", id);
    TraceEvent.CheckpointSaved saved =
        services.trace.await(
            run.id, TraceEvent.CheckpointSaved.class, e -> e.checkpoint().equals(id));
    assertThat(saved.cut()).isNotNull();
    return id;
  }

  private static List<TraceEvent.StepStarted> starts(TestRun run) {
    return run.events(TraceEvent.StepStarted.class).stream()
        .filter(started -> started.step().equals("long"))
        .toList();
  }

  private static String lines(TestRun run) throws Exception {
    return run.awaitOutput().toString();
  }

  @Test
  void shouldStartOnTheNewestCheckpointInsideTheStep() throws Exception {
    TestRun run = new TestRun(services, workflow("from_checkpoint"), "{}");
    String first;
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-1.1.begun");
      first = checkpoint(run, runner);
    }
    TraceEvent.CheckpointSaved last;
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-2.1.begun");
      // Handed over: the files as the shutdown left them are newer.
      runner.terminate();
      last =
          services.trace.await(
              run.id, TraceEvent.CheckpointSaved.class, e -> e.trigger().equals("shutdown"));
    }
    go("long-3.1", "on");
    try (TestRunner runner = runner()) {
      run.start(runner.id);

      assertThat(lines(run))
          .isEqualTo(
              "[\"before\",\"long 1.1 start\",\"long 2.1 %s\",\"long 3.1 %s\"]"
                  .formatted(first, last.checkpoint()));
    }
    assertThat(starts(run))
        .extracting(TraceEvent.StepStarted::resumedFrom)
        .containsExactly(null, first, last.checkpoint());
    assertThat(run.events(TraceEvent.RunnerStarted.class).getLast().restored())
        .isEqualTo(Objects.requireNonNull(last.cut()).digest());
    assertThat(services.trace.state(run.id, 0).head().gap()).isNull();
  }

  @Test
  void shouldStartOnTheFilesBeforeTheStepByDefault() throws Exception {
    TestRun run = new TestRun(services, workflow("from_start"), "{}");
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-1.1.begun");
      checkpoint(run, runner);
    }
    go("long-2.1", "on");
    try (TestRunner runner = runner()) {
      run.start(runner.id);

      assertThat(lines(run)).isEqualTo("[\"before\",\"long 2.1 start\"]");
    }
  }

  @Test
  void shouldStartAFailedAttemptAgainOnTheFilesBeforeTheStep() throws Exception {
    TestRun run = new TestRun(services, workflow("from_checkpoint"), "{}");
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-1.1.begun");
      checkpoint(run, runner);
      go("long-1.1", "fail");
      await("long-1.2.begun");
    }
    go("long-2.2", "on");
    try (TestRunner runner = runner()) {
      run.start(runner.id);

      // No checkpoint of the second attempt, so the one of the first does not count.
      assertThat(lines(run)).isEqualTo("[\"before\",\"long 2.2 start\"]");
    }
  }

  @Test
  void shouldStartAgainWhereAnImmediatePauseStoppedIt() throws Exception {
    TestRun run = new TestRun(services, workflow("from_checkpoint"), "{}");
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-1.1.begun");
      services.gateway.pauseNow(runner.id, run.id);
      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("paused");
      String saved = run.events(TraceEvent.CheckpointSaved.class).getLast().checkpoint();
      go("long-2.1", "on");

      run.resume();
      services.gateway.assign(runner.id, run.assign());

      assertThat(lines(run))
          .isEqualTo("[\"before\",\"long 1.1 start\",\"long 2.1 %s\"]".formatted(saved));
    }
  }

  @Test
  void shouldPassOverDamagedCheckpointsInsideTheStepOneByOne() throws Exception {
    TestRun run = new TestRun(services, workflow("from_checkpoint"), "{}");
    String older;
    String newest;
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-1.1.begun");
      older = checkpoint(run, runner);
      Path log = runner.data.resolve("runs/" + run.id + "/workspace/log");
      Files.writeString(log, Files.readString(log) + "later\n");
      newest = checkpoint(run, runner);
    }
    services.store.loseManifest(newest);
    try (TestRunner runner = runner()) {
      run.start(runner.id);
      await("long-2.1.begun");
    }
    services.store.loseManifest(older);
    go("long-3.1", "on");
    try (TestRunner runner = runner()) {
      run.start(runner.id);

      assertThat(lines(run)).isEqualTo("[\"before\",\"long 3.1 start\"]");
    }
    assertThat(starts(run))
        .extracting(TraceEvent.StepStarted::resumedFrom)
        .containsExactly(null, older, null);
    assertThat(run.events(TraceEvent.RunDegraded.class))
        .extracting(lost -> lost.damaged().getFirst().checkpoint())
        .containsExactly(newest, older);
    assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(2);
    assertThat(services.trace.state(run.id, 0).head().gap()).isNull();
  }

  @Test
  void shouldResumeEachBranchFromItsOwnNewestCheckpoint() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: branches
            steps:
              - {id: before, shell: 'echo before > log'}
              - id: p
                parallel:
                  branches:
                    left: [{id: l, resume: from_checkpoint, shell: 'LOOP'}]
                    right: [{id: r, resume: from_checkpoint, shell: 'LOOP'}]
              - {id: both, shell: 'cat l r', output: lines}
            """
                .replace(
                    "LOOP",
                    "f=$(basename $BATON_STEP_ID); echo \"$BATON_EPOCH ${BATON_RESUMED_FROM:-start}\""
                        + " >> $f; touch FOLDER/$f-$BATON_EPOCH; test $BATON_EPOCH != 1 || sleep 60")
                .replace("FOLDER", folder.toString()),
            "{}");
    try (TestRunner runner = runner("1s")) {
      run.start(runner.id);
      await("l-1");
      await("r-1");
      for (String step : List.of("p/left/l", "p/right/r")) {
        services.trace.await(
            run.id,
            TraceEvent.CheckpointSaved.class,
            e -> step.equals(e.step()) && e.cut() != null);
      }
    }
    String left = newest(run, "p/left/l");
    String right = newest(run, "p/right/r");
    try (TestRunner runner = runner()) {
      run.start(runner.id);

      assertThat(lines(run))
          .isEqualTo("[\"1 start\",\"2 %s\",\"1 start\",\"2 %s\"]".formatted(left, right));
    }
  }

  private static String newest(TestRun run, String step) {
    return run.events(TraceEvent.CheckpointSaved.class).stream()
        .filter(saved -> step.equals(saved.step()))
        .filter(saved -> saved.cut() instanceof Cut)
        .reduce((older, newer) -> newer)
        .orElseThrow()
        .checkpoint();
  }
}
