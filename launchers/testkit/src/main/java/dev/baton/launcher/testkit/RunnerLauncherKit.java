/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.launcher.ExitReason;
import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerPhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that every launcher must pass, with real runners in its place. A runner executes the shell
 * script in its variable {@code KIT_SCRIPT}; everything that it starts has the variable {@code
 * KIT_MARK}.
 */
@Timeout(120)
public abstract class RunnerLauncherKit {
  private static final Duration SLACK = Duration.ofSeconds(10);
  private static final long POLL_NANOS = 5_000_000;
  private static final String FOREVER = "exec sleep 600";

  private final List<RunnerLauncher> instances = new ArrayList<>();
  private final List<String> marks = new ArrayList<>();

  /**
   * Creates an instance for the one place and installation of this test. Its runners execute {@code
   * /bin/sh -c 'eval "$KIT_SCRIPT"'}.
   */
  protected abstract RunnerLauncher create();

  /** Creates an instance whose program or image does not exist. */
  protected abstract RunnerLauncher createWithoutProgram();

  /** Returns the number of live processes with {@code KIT_MARK=<mark>} in their environment. */
  protected abstract int liveProcesses(String mark);

  /** Ends all processes with this mark, independently of the launcher. */
  protected abstract void clear(String mark);

  /** Stops everything with this mark from executing, as SIGSTOP does. */
  protected abstract void freeze(String mark);

  /**
   * Returns the handle that an earlier runner would have had whose place is now that of this live
   * one: the same pid or address, another identity.
   */
  protected abstract String handleOfPredecessor(LaunchedRunner live);

  /** Returns how long the kit waits for each effect that a launcher must have. */
  protected Duration within() {
    return Duration.ofSeconds(30);
  }

  /** Returns how long a kill may take. */
  protected Duration patience() {
    return Duration.ofSeconds(10);
  }

  /** Returns how long a kill may take that leaves a runner; the others must be killed by then. */
  protected Duration shortPatience() {
    return Duration.ofSeconds(2);
  }

  /**
   * Whether the place shows an end as soon as the last process has ended. Otherwise a runner that
   * has just ended may be adopted as a live one, and its exit follows.
   */
  protected boolean showsEndsAtOnce() {
    return true;
  }

  /**
   * Whether the place may lose the code of a program whose end was requested. Otherwise each end
   * has its code.
   */
  protected boolean mayLoseCodesOfRemovedRunners() {
    return false;
  }

  /** Returns what the exit of a runner whose end was requested may state for this code. */
  private List<@Nullable Integer> codesOfRemoved(int code) {
    return mayLoseCodesOfRemovedRunners() ? Arrays.asList(code, null) : List.of(code);
  }

  /** Returns the number of runners that exit at once. */
  protected int stormSize() {
    return 300;
  }

  @AfterEach
  void end() {
    marks.forEach(this::clear);
    instances.forEach(RunnerLauncher::close);
  }

  private RunnerLauncher instance(RecordingRunnerObserver observer) {
    RunnerLauncher launcher = create();
    instances.add(launcher);
    launcher.observe(observer);
    return launcher;
  }

  private RunnerLauncher instance() {
    return instance(new RecordingRunnerObserver(0));
  }

  private String mark() {
    String mark = "m" + UUID.randomUUID().toString().replace("-", "");
    marks.add(mark);
    return mark;
  }

  private static String name(String kind) {
    return kind + "-" + UUID.randomUUID().toString().replace("-", "").toLowerCase(Locale.ROOT);
  }

  private static LaunchSpec pooled(String runner, String mark, String script) {
    return new LaunchSpec(
        runner, null, 0, "default", Map.of("KIT_MARK", mark, "KIT_SCRIPT", script));
  }

  private static LaunchSpec isolated(String run, int epoch, String mark, String script) {
    return new LaunchSpec(
        run + "-" + epoch, run, epoch, "default", Map.of("KIT_MARK", mark, "KIT_SCRIPT", script));
  }

  private void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + within().toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private void awaitProcesses(String mark, int count) {
    await(
        count + " processes of the runner, there are " + liveProcesses(mark),
        () -> liveProcesses(mark) == count);
  }

  private RunnerExit awaitExit(RecordingRunnerObserver observer, String runner) {
    await("the exit of " + runner, () -> !observer.exits(runner).isEmpty());
    return observer.exits(runner).getFirst();
  }

  private static String handle(LaunchedRunner runner) {
    String handle = runner.handle();
    assertThat(handle).as("handle of %s", runner).isNotNull().hasSizeLessThanOrEqualTo(200);
    return handle == null ? "" : handle;
  }

  /** Kills within a bounded time; returns the runs that were reported. */
  private static Set<String> kill(RunnerLauncher launcher, KillRequest request) {
    Set<String> killed = ConcurrentHashMap.newKeySet();
    long start = System.nanoTime();
    Set<String> left = launcher.kill(request, killed::add);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("time of a kill with the patience %s", request.patience())
        .isLessThan(request.patience().plus(SLACK));
    Set<String> all = new HashSet<>(left);
    all.addAll(killed);
    assertThat(all).as("each run is reported or left").isEqualTo(request.below().keySet());
    assertThat(left).doesNotContainAnyElementsOf(killed);
    return killed;
  }

  private KillRequest below(String run, int epoch) {
    return new KillRequest(Map.of(run, epoch), Map.of(), patience());
  }

  @Test
  protected void shouldStartOneRunnerForConcurrentStartsOfOneName() throws Exception {
    List<RunnerLauncher> both = List.of(instance(), instance());
    String mark = mark();
    LaunchSpec spec = pooled(name("warm"), mark, FOREVER);
    int callers = 8;
    CyclicBarrier barrier = new CyclicBarrier(callers);
    Set<String> handles = new HashSet<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<LaunchedRunner>> started = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        RunnerLauncher launcher = both.get(i % both.size());
        started.add(
            threads.submit(
                () -> {
                  barrier.await();
                  return launcher.start(spec);
                }));
      }
      for (Future<LaunchedRunner> runner : started) {
        handles.add(handle(runner.get(within().toSeconds(), TimeUnit.SECONDS)));
      }
    }

    assertThat(handles).hasSize(1);
    awaitProcesses(mark, 1);
  }

  @Test
  protected void shouldFindTheRunnerThatAnotherInstanceHasStarted() throws Exception {
    RunnerLauncher first = instance();
    String mark = mark();
    LaunchSpec spec = pooled(name("warm"), mark, FOREVER);
    LaunchedRunner started = first.start(spec);
    first.close();

    LaunchedRunner again = instance().start(spec);

    assertThat(handle(again)).isEqualTo(handle(started));
    awaitProcesses(mark, 1);
  }

  @Test
  protected void shouldReportCodeSignalAndReasonOfAnExit() throws Exception {
    RecordingRunnerObserver observer = new RecordingRunnerObserver(0);
    RunnerLauncher launcher = instance(observer);
    String good = name("warm");
    String bad = name("warm");
    String killed = name("warm");
    launcher.start(pooled(good, mark(), "exit 0"));
    launcher.start(pooled(bad, mark(), "exit 7"));
    String mark = mark();
    launcher.start(pooled(killed, mark, FOREVER));
    awaitProcesses(mark, 1); // A runner without a process ends without a code.

    launcher.kill(killed);

    RunnerExit ofGood = awaitExit(observer, good);
    RunnerExit ofBad = awaitExit(observer, bad);
    RunnerExit ofKilled = awaitExit(observer, killed);
    assertThat(ofGood.exitCode()).isZero();
    assertThat(ofGood.reason()).isEqualTo(ExitReason.COMPLETED);
    assertThat(ofGood.signal()).isNull();
    assertThat(ofBad.exitCode()).isEqualTo(7);
    assertThat(ofBad.reason()).isEqualTo(ExitReason.FAILED);
    assertThat(ofKilled.signal()).isIn(codesOfRemoved(9));
    assertThat(ofKilled.reason()).isEqualTo(ExitReason.KILLED);
  }

  @Test
  protected void shouldEndARunnerThatIsRequestedToStop() throws Exception {
    RecordingRunnerObserver observer = new RecordingRunnerObserver(0);
    RunnerLauncher launcher = instance(observer);
    String runner = name("warm");
    String mark = mark();
    launcher.start(pooled(runner, mark, "trap 'exit 3' TERM; sleep 600 & wait"));
    awaitProcesses(mark, 2); // The trap is set before the sleep starts.

    launcher.stop(runner);

    assertThat(awaitExit(observer, runner).exitCode()).isIn(codesOfRemoved(3));
  }

  @Test
  protected void shouldDeliverAnExitAgainUntilItIsAccepted() throws Exception {
    RecordingRunnerObserver observer = new RecordingRunnerObserver(2);
    RunnerLauncher launcher = instance(observer);
    String runner = name("warm");

    launcher.start(pooled(runner, mark(), "exit 5"));

    assertThat(awaitExit(observer, runner).exitCode()).isEqualTo(5);
  }

  @Test
  protected void shouldAdoptALiveRunnerAndReportItsExit() throws Exception {
    RunnerLauncher first = instance();
    String runner = name("warm");
    String mark = mark();
    LaunchedRunner started = first.start(pooled(runner, mark, FOREVER));
    awaitProcesses(mark, 1);
    first.close();
    RecordingRunnerObserver observer = new RecordingRunnerObserver(0);
    RunnerLauncher second = instance(observer);

    LaunchedRunner adopted = second.adopt(runner, handle(started));
    LaunchedRunner repeated = second.adopt(runner, handle(started));
    second.kill(runner);

    assertThat(adopted.phase().isLive()).isTrue();
    assertThat(handle(adopted)).isEqualTo(handle(started)).isEqualTo(handle(repeated));
    RunnerExit exit = awaitExit(observer, runner);
    if (second.capabilities().exitCodeAfterAdoption()) {
      assertThat(exit.signal()).isIn(codesOfRemoved(9));
    } else {
      assertThat(exit.exitCode()).isNull();
      assertThat(exit.reason()).isEqualTo(ExitReason.UNKNOWN);
    }
    assertThat(second.isAlive(runner, handle(started))).isFalse();
  }

  @Test
  protected void shouldAdoptByNameWhenNoHandleWasRecorded() throws Exception {
    RunnerLauncher first = instance();
    String runner = name("warm");
    String mark = mark();
    LaunchedRunner started = first.start(pooled(runner, mark, FOREVER));
    awaitProcesses(mark, 1);
    first.close();

    LaunchedRunner adopted = instance().adopt(runner, null);

    assertThat(handle(adopted)).isEqualTo(handle(started));
  }

  @Test
  protected void shouldListTheRunnersOfADeadInstance() throws Exception {
    RunnerLauncher first = instance();
    String runner = name("warm");
    String mark = mark();
    LaunchedRunner started = first.start(pooled(runner, mark, "sleep 600 & wait"));
    awaitProcesses(mark, 2);
    first.close();

    List<LaunchedRunner> listed =
        instance().list().stream().filter(found -> found.runner().equals(runner)).toList();

    assertThat(listed).hasSize(1);
    assertThat(listed.getFirst().phase().isLive()).isTrue();
    assertThat(handle(listed.getFirst())).isEqualTo(handle(started));
  }

  @Test
  protected void shouldNotLoseTheExitOfARunnerThatEndsBetweenInstances() throws Exception {
    RunnerLauncher first = instance(new RecordingRunnerObserver(Integer.MAX_VALUE));
    String runner = name("warm");
    String mark = mark();
    LaunchedRunner started = first.start(pooled(runner, mark, FOREVER));
    awaitProcesses(mark, 1);
    first.close();
    clear(mark);
    awaitProcesses(mark, 0);
    RecordingRunnerObserver observer = new RecordingRunnerObserver(0);
    RunnerLauncher second = instance(observer);

    LaunchedRunner adopted = second.adopt(runner, handle(started));

    if (showsEndsAtOnce()) {
      assertThat(adopted.phase()).isIn(RunnerPhase.ENDED, RunnerPhase.GONE);
    }
    if (adopted.phase() != RunnerPhase.GONE) {
      awaitExit(observer, runner);
    }
    assertThat(second.isAlive(runner, handle(started))).isFalse();
  }

  @Test
  protected void shouldTreatAReusedHandleAsGone() throws Exception {
    RunnerLauncher first = instance();
    String runner = name("warm");
    String mark = mark();
    LaunchedRunner live = first.start(pooled(runner, mark, FOREVER));
    awaitProcesses(mark, 1);
    String stale = handleOfPredecessor(live);
    RunnerLauncher second = instance();
    String run = name("r");

    LaunchedRunner adopted = second.adopt(name("warm"), stale);
    boolean alive = second.isAlive(name("warm"), stale);
    Set<String> killed =
        kill(second, new KillRequest(Map.of(run, 2), Map.of(run, List.of(stale)), patience()));

    assertThat(adopted.phase()).isEqualTo(RunnerPhase.GONE);
    assertThat(alive).isFalse();
    assertThat(killed).containsExactly(run);
    assertThat(liveProcesses(mark)).as("processes of the runner with that pid now").isOne();
    assertThat(first.isAlive(runner, handle(live))).isTrue();
  }

  @Test
  protected void shouldKillEverythingThatARunnerHasStarted() throws Exception {
    RunnerLauncher launcher = instance();
    assumeTrue(launcher.capabilities().canKill());
    String run = name("r");
    String mark = mark();
    // A daemon in its own session, one without a parent, one that ignores signals, and a child.
    launcher.start(
        isolated(
            run,
            1,
            mark,
            """
            (setsid sh -c 'exec sleep 600' &)
            (sh -c 'sh -c "exec sleep 600" & exit 0' &)
            (trap '' TERM HUP INT; exec sleep 600) &
            sleep 600 & wait"""));
    awaitProcesses(mark, 5);

    Set<String> killed = kill(launcher, below(run, 2));

    assertThat(killed).containsExactly(run);
    assertThat(liveProcesses(mark)).isZero();
  }

  @Test
  protected void shouldKillWhatADeadRunnerHasLeft() throws Exception {
    RecordingRunnerObserver observer = new RecordingRunnerObserver(0);
    RunnerLauncher launcher = instance(observer);
    assumeTrue(launcher.capabilities().canKill());
    String run = name("r");
    String mark = mark();
    launcher.start(isolated(run, 1, mark, "(setsid sh -c 'exec sleep 600' &) ; exit 1"));
    awaitExit(observer, run + "-1");

    Set<String> killed = kill(launcher, below(run, 2));
    Set<String> again = kill(launcher, below(run, 2));

    assertThat(killed).containsExactly(run);
    assertThat(again).as("a kill after all processes have ended").containsExactly(run);
    assertThat(liveProcesses(mark)).isZero();
  }

  @Test
  protected void shouldKillAFormerPoolRunnerOfTheRun() throws Exception {
    RunnerLauncher launcher = instance();
    assumeTrue(launcher.capabilities().canKill());
    String mark = mark();
    String run = name("r");
    // A pool runner gives its steps the run and epoch that it was assigned.
    String step = "BATON_RUN_ID=%s BATON_EPOCH=1 setsid sleep 600".formatted(run);
    LaunchedRunner pooled =
        launcher.start(pooled(name("warm"), mark, "(" + step + " &) ; sleep 600 & wait"));
    awaitProcesses(mark, 3);

    Set<String> killed =
        kill(
            launcher,
            new KillRequest(Map.of(run, 2), Map.of(run, List.of(handle(pooled))), patience()));

    assertThat(killed).containsExactly(run);
    assertThat(liveProcesses(mark)).isZero();
  }

  @Test
  protected void shouldNeverKillANewerEpochOrAnotherRun() throws Exception {
    RunnerLauncher launcher = instance();
    assumeTrue(launcher.capabilities().canKill());
    String run = name("r");
    String older = mark();
    String newer = mark();
    String other = mark();
    launcher.start(isolated(run, 1, older, "sleep 600 & wait"));
    launcher.start(isolated(run, 2, newer, "sleep 600 & wait"));
    launcher.start(isolated(name("r"), 1, other, "sleep 600 & wait"));
    awaitProcesses(older, 2);
    awaitProcesses(newer, 2);
    awaitProcesses(other, 2);

    Set<String> killed = kill(launcher, below(run, 2));

    assertThat(killed).containsExactly(run);
    assertThat(liveProcesses(older)).isZero();
    assertThat(liveProcesses(newer)).as("processes of the newer epoch").isEqualTo(2);
    assertThat(liveProcesses(other)).as("processes of the other run").isEqualTo(2);
  }

  @Test
  protected void shouldKillAFrozenRunner() throws Exception {
    RunnerLauncher launcher = instance();
    assumeTrue(launcher.capabilities().canKill());
    String run = name("r");
    String mark = mark();
    launcher.start(isolated(run, 1, mark, "sleep 600 & wait"));
    awaitProcesses(mark, 2);
    freeze(mark);

    Set<String> killed = kill(launcher, below(run, 2));

    assertThat(killed).containsExactly(run);
    assertThat(liveProcesses(mark)).isZero();
  }

  @Test
  protected void shouldReportOtherRunsAtOnceWhileOneCannotBeKilled() throws Exception {
    UnkillableRunnerLauncher launcher = new UnkillableRunnerLauncher(instance());
    assumeTrue(launcher.capabilities().canKill());
    String stuck = name("r");
    String run = name("r");
    String mark = mark();
    launcher.start(isolated(stuck, 1, mark, "sleep 600 & wait"));
    launcher.start(isolated(run, 1, mark(), FOREVER));
    awaitProcesses(mark, 2);
    freeze(mark);
    launcher.makeUnkillable(stuck);
    CompletableFuture<String> first = new CompletableFuture<>();

    CompletableFuture<Set<String>> left =
        CompletableFuture.supplyAsync(
            () ->
                launcher.kill(
                    new KillRequest(Map.of(stuck, 2, run, 2), Map.of(), shortPatience()),
                    first::complete));

    assertThat(first.get(within().toSeconds(), TimeUnit.SECONDS)).isEqualTo(run);
    assertThat(left).as("the kill of the other run").isNotDone();
    assertThat(left.get(within().toSeconds(), TimeUnit.SECONDS)).containsExactly(stuck);
    assertThat(liveProcesses(mark)).isEqualTo(2);
    launcher.makeKillable(stuck);
    assertThat(kill(launcher, below(stuck, 2))).containsExactly(stuck);
    assertThat(liveProcesses(mark)).isZero();
  }

  @Test
  protected void shouldReportEveryExitOfAStorm() throws Exception {
    RecordingRunnerObserver observer = new RecordingRunnerObserver(1);
    RunnerLauncher launcher = instance(observer);
    String mark = mark();
    List<String> runners = new ArrayList<>();
    for (int i = 0; i < stormSize(); i++) {
      runners.add(name("warm"));
    }

    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (String runner : runners) {
        threads.submit(() -> launcher.start(pooled(runner, mark, "exit 4")));
      }
    }

    await("all exits, now " + observer.ended(), () -> observer.ended() == runners.size());
    assertThat(runners)
        .allSatisfy(
            runner -> assertThat(observer.exits(runner).getFirst().exitCode()).isEqualTo(4));
  }

  @Test
  protected void shouldReportAProgramThatDoesNotExist() {
    RecordingRunnerObserver observer = new RecordingRunnerObserver(0);
    RunnerLauncher launcher = createWithoutProgram();
    instances.add(launcher);
    launcher.observe(observer);
    String runner = name("warm");
    try {
      launcher.start(pooled(runner, mark(), "exit 0"));
    } catch (LaunchException e) {
      assertThat(e).hasMessageContaining("start");
      return;
    }
    RunnerExit exit = awaitExit(observer, runner);
    assertThat(exit.exitCode()).as("code of a program that does not exist").isNotEqualTo(0);
  }
}
