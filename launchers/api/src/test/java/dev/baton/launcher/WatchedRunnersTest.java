/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WatchedRunnersTest {
  /** Found as soon as it has a handle. */
  private static final class Known implements WatchedRunners.WatchedRunner {
    private volatile @Nullable String handle;

    @Override
    public String runner() {
      return "r-1";
    }

    @Override
    public String run() {
      return "r";
    }

    @Override
    public boolean isFound() {
      return handle != null;
    }

    LaunchedRunner found(String as) {
      handle = as;
      return view();
    }

    @Override
    public LaunchedRunner view() {
      return new LaunchedRunner("r-1", handle, RunnerPhase.RUNNING, null, null);
    }
  }

  private final RunnerExitReporter exits = new RunnerExitReporter();
  private final WatchedRunners<Known> runners = new WatchedRunners<>(exits);

  @BeforeEach
  void observe() {
    exits.observe(
        new RunnerObserver() {
          @Override
          public void changed(LaunchedRunner runner) {}

          @Override
          public void ended(RunnerExit exit) {}
        });
  }

  @Test
  void shouldStartOnceForConcurrentCallers() throws Exception {
    int callers = 8;
    AtomicInteger starts = new AtomicInteger();
    CyclicBarrier barrier = new CyclicBarrier(callers);
    List<Future<LaunchedRunner>> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < callers; i++) {
        results.add(
            threads.submit(
                () -> {
                  barrier.await();
                  Known known = new Known();
                  return runners.start(known, () -> known.found("h" + starts.incrementAndGet()));
                }));
      }
    }

    assertThat(starts).hasValue(1);
    for (Future<LaunchedRunner> result : results) {
      assertThat(result.get().handle()).isEqualTo("h1");
    }
    assertThat(runners.hasRun("r")).isTrue();
  }

  @Test
  void shouldNotWatchWhatCouldNotBeStartedOrFound() throws Exception {
    assertThatThrownBy(
            () ->
                runners.start(
                    new Known(),
                    () -> {
                      throw new LaunchException.NoRoomException("no room");
                    }))
        .isInstanceOf(LaunchException.NoRoomException.class);
    LaunchedRunner gone = runners.adopt(new Known(), () -> LaunchedRunner.gone("r-1"));

    assertThat(gone.phase()).isEqualTo(RunnerPhase.GONE);
    assertThat(runners.all()).isEmpty();
  }

  @Test
  void shouldNotStartAgainAfterTheExitWasAccepted() throws Exception {
    Known known = new Known();
    runners.start(known, () -> known.found("h"));
    exits.report(RunnerExit.ofCode("r-1", 0));
    runners.remove(new Known());
    assertThat(runners.contains(known)).as("removal of another one of its name").isTrue();
    runners.remove(known);

    LaunchedRunner again =
        runners.start(
            new Known(),
            () -> {
              throw new AssertionError("started again");
            });

    assertThat(again.phase()).isEqualTo(RunnerPhase.ENDED);
  }

  @Test
  void shouldNotStartWithoutAnObserver() {
    WatchedRunners<Known> unobserved = new WatchedRunners<>(new RunnerExitReporter());

    assertThatThrownBy(() -> unobserved.start(new Known(), () -> LaunchedRunner.gone("r-1")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldLetThePlaceStateALesserGraceAndTheLaunchEverythingElse() {
    LaunchSpec spec = new LaunchSpec("r-1", "R", 1, "default", Map.of("A", "launch"));

    assertThat(RunnerVariables.of(spec, Map.of("A", "place", "B", "b"), Duration.ofSeconds(45)))
        .containsOnly(
            Map.entry("A", "launch"),
            Map.entry("B", "b"),
            Map.entry("BATON_RUNNER_GRACE", "45s"),
            Map.entry("BATON_RUNNER_ID", "r-1"),
            Map.entry("BATON_RUN_ID", "R"),
            Map.entry("BATON_EPOCH", "1"));
    assertThat(
            RunnerVariables.of(spec, Map.of("BATON_RUNNER_GRACE", "15s"), Duration.ofSeconds(45)))
        .containsEntry("BATON_RUNNER_GRACE", "15s");
  }
}
