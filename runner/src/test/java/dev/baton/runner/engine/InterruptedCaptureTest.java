/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.StalledServer;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import dev.baton.runner.testkit.TestRunnerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A run that is stopped in the middle of a transfer ends at once and leaves no connection open. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
@Timeout(120)
class InterruptedCaptureTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final RunnerTestEnvironment services;
  private StalledServer stalled;
  private TestRunner runner;

  InterruptedCaptureTest(RunnerTestEnvironment services) throws IOException {
    this.services = services;
    this.stalled = new StalledServer();
    this.runner =
        new TestRunner(
            services,
            Map.of(),
            Map.of("baton.checkpoint.interval", "1s", "baton.checkpoint.patience", "30s"));
  }

  @BeforeEach
  void attach() throws Exception {
    services.gateway.awaitHello(runner.id);
    services.store.elsewhere = stalled.url();
  }

  @AfterEach
  void close() throws IOException {
    services.store.elsewhere = null;
    runner.close();
    stalled.close();
  }

  private TestRun run(String yaml) throws Exception {
    return new TestRun(services, yaml, "{}").start(runner.id);
  }

  @Test
  void shouldEndACutWhenTheRunIsCancelled() throws Exception {
    TestRun run = run("{name: cut, steps: [{id: s, shell: 'echo x > file'}]}");
    stalled.reached().join();

    long began = System.nanoTime();
    services.gateway.cancel(runner.id, run.id);

    assertThatItEnded(run, "cancelled", began);
  }

  @Test
  void shouldEndAPeriodicCheckpointWithItsStep() throws Exception {
    TestRun run = run("{name: periodic, steps: [{id: s, shell: 'echo x > file; sleep 60'}]}");
    stalled.reached().join();

    long began = System.nanoTime();
    services.gateway.fence(runner.id, run.id, 1);

    assertThatItEnded(run, "fenced", began);
    assertThat(run.events(TraceEvent.CheckpointSaved.class)).isEmpty();
  }

  @Test
  void shouldNotLetARequestedCheckpointKeepTheRun() throws Exception {
    TestRun run =
        run(
            "{name: manual, steps: [{id: s, workspace: none, shell: 'sleep 60'}, {id: t, shell: ls}]}");
    services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
    String request = RunId.next();
    services.gateway.checkpoint(runner.id, run.id, "manual", request);
    stalled.reached().join();

    long began = System.nanoTime();
    services.gateway.cancel(runner.id, run.id);

    assertThatItEnded(run, "cancelled", began);
    assertThat(services.gateway.awaitCheckpointFailed(request).getReason()).contains("stopped");
  }

  @Test
  void shouldLetOnlySomeRequestedCheckpointsWaitForEachOther() throws Exception {
    TestRun run =
        run(
            "{name: many, steps: [{id: s, workspace: none, shell: 'sleep 60'}, {id: t, shell: ls}]}");
    services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);

    for (int i = 0; i <= OnDemandCheckpointer.MOST_AT_ONCE; i++) {
      services.gateway.checkpoint(runner.id, run.id, "manual", RunId.next());
    }

    assertThat(services.gateway.awaitAnyCheckpointFailed(run.id).getReason())
        .isEqualTo("16 checkpoints of the run are already in progress");
    stalled.reached().join();
    long began = System.nanoTime();
    services.gateway.cancel(runner.id, run.id);
    assertThatItEnded(run, "cancelled", began);
  }

  @Test
  void shouldEndARestoreWhenTheRunIsCancelled() throws Exception {
    services.store.elsewhere = null;
    TestRun run =
        run(
            """
            name: restore
            steps:
              - {id: a, shell: 'echo a > file'}
              - {id: b, shell: 'echo b > file; exit 1', retry: {max: 3, backoff: 1s}}
            """);
    services.trace.await(run.id, TraceEvent.StepCompleted.class, e -> e.step().equals("a"));
    services.store.elsewhere = stalled.url();
    stalled.reached().join();

    long began = System.nanoTime();
    services.gateway.cancel(runner.id, run.id);

    assertThatItEnded(run, "cancelled", began);
  }

  @Test
  void shouldExitInTimeWhenWhatIsToBeSavedCannotBeStored() throws Exception {
    TestRun run =
        new TestRun(
            services, "{name: term, steps: [{id: s, shell: 'echo x > file; sleep 60'}]}", "{}");
    run.nextEpoch();
    Path data = services.data().resolve("stalled-" + run.id);
    try (TestRunnerProcess process = new TestRunnerProcess(services, run, data)) {
      services.gateway.awaitHello(process.id);
      services.gateway.assign(process.id, run.assign());
      Path file = data.resolve("runs/" + run.id + "/workspace/file");
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
      while (!Files.exists(file)) {
        TimeUnit.MILLISECONDS.sleep(20);
      }

      long began = System.nanoTime();
      process.process.destroy();

      assertThat(process.awaitExit()).isEqualTo(143);
      // It waits for a replacement, which does not exist, and then for its step.
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(27));
    }
    assertThat(run.events(TraceEvent.StepFailed.class)).isEmpty();
  }

  private void assertThatItEnded(TestRun run, String outcome, long began) throws Exception {
    assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo(outcome);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    stalled.left().get(SOON.toMillis(), TimeUnit.MILLISECONDS);
    assertThat(
            Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("baton-(capture|copy|restore|scan)-.*")))
        .isEmpty();
    assertThat(openUnder(runner.data.resolve("runs").resolve(run.id))).isEmpty();
  }

  private static List<Path> openUnder(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.map(InterruptedCaptureTest::target).filter(it -> it.startsWith(folder)).toList();
    }
  }

  private static Path target(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException closedMeanwhile) {
      return link;
    }
  }
}
