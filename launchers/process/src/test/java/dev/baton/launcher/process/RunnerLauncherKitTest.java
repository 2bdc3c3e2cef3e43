/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.testkit.ForwardingRunnerLauncher;
import dev.baton.launcher.testkit.RunnerLauncherKit;
import dev.baton.process.ProcessStartTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Proves that the kit can fail: each planted fault must break the test that is named with it. */
@EnabledOnOs(OS.LINUX)
class RunnerLauncherKitTest {
  /** A fault, and the test of the kit that must find it. */
  enum Fault {
    STARTS_TWICE("shouldStartOneRunnerForConcurrentStartsOfOneName", StartsTwice::new),
    FORGETS_ITS_RUNNERS("shouldFindTheRunnerThatAnotherInstanceHasStarted", StartsTwice::new),
    INVENTS_EXIT_CODES("shouldReportCodeSignalAndReasonOfAnExit", InventsExitCodes::new),
    KILLS_INSTEAD_OF_STOPPING("shouldEndARunnerThatIsRequestedToStop", KillsAtStop::new),
    LOSES_REJECTED_EXITS("shouldDeliverAnExitAgainUntilItIsAccepted", LosesExits::new),
    LOSES_EXITS_OF_A_STORM("shouldReportEveryExitOfAStorm", LosesExits::new),
    ADOPTS_NOTHING("shouldAdoptALiveRunnerAndReportItsExit", AdoptsNothing::new),
    ADOPTS_NOT_BY_NAME("shouldAdoptByNameWhenNoHandleWasRecorded", AdoptsNothing::new),
    LISTS_ONLY_ITS_OWN("shouldListTheRunnersOfADeadInstance", ListsNothing::new),
    CLAIMS_THE_DEAD_ALIVE(
        "shouldNotLoseTheExitOfARunnerThatEndsBetweenInstances", ClaimsAlive::new),
    TRUSTS_PIDS("shouldTreatAReusedHandleAsGone", TrustsPids::new),
    KILLS_ONLY_THE_RUNNER("shouldKillEverythingThatARunnerHasStarted", KillsOnlyTheRunner::new),
    LEAVES_ORPHANS("shouldKillWhatADeadRunnerHasLeft", KillsOnlyTheRunner::new),
    IGNORES_HANDLES("shouldKillAFormerPoolRunnerOfTheRun", IgnoresHandles::new),
    KILLS_THE_NEWER_EPOCH("shouldNeverKillANewerEpochOrAnotherRun", KillsNewer::new),
    WAITS_FOR_ALL("shouldReportOtherRunsAtOnceWhileOneCannotBeKilled", WaitsForAll::new),
    STARTS_ANYTHING("shouldReportAProgramThatDoesNotExist", StartsAnything::new);

    private final String test;
    private final Function<RunnerLauncher, RunnerLauncher> planted;

    Fault(String test, Function<RunnerLauncher, RunnerLauncher> planted) {
      this.test = test;
      this.planted = planted;
    }
  }

  /** The kit over processes with the fault of the moment; run only by the test below. */
  static class FaultyLauncherKit extends RunnerLauncherKit {
    static volatile Fault fault = Fault.STARTS_TWICE;

    @TempDir Path folder;

    @Override
    protected RunnerLauncher create() {
      return fault.planted.apply(ProcessPlace.launcher(folder));
    }

    @Override
    protected RunnerLauncher createWithoutProgram() {
      return fault.planted.apply(ProcessPlace.launcher(folder, "/no/such/program"));
    }

    @Override
    protected int liveProcesses(String mark) {
      return ProcessPlace.marked(mark).size();
    }

    @Override
    protected void clear(String mark) {
      ProcessPlace.clear(mark);
    }

    @Override
    protected void freeze(String mark) {
      ProcessPlace.freeze(mark);
    }

    @Override
    protected String handleOfPredecessor(LaunchedRunner live) {
      return ProcessPlace.predecessor(Objects.requireNonNull(live.handle()));
    }

    @Override
    protected Duration within() {
      return Duration.ofSeconds(4);
    }

    @Override
    protected int stormSize() {
      return 20;
    }
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void shouldFindThePlantedFault(Fault fault) {
    FaultyLauncherKit.fault = fault;
    SummaryGeneratingListener listener = new SummaryGeneratingListener();

    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(FaultyLauncherKit.class, fault.test))
                .build(),
            listener);

    TestExecutionSummary summary = listener.getSummary();
    assertThat(summary.getTestsStartedCount()).as("tests of %s", fault).isOne();
    assertThat(summary.getTestsFailedCount()).as("failures of %s by %s", fault.test, fault).isOne();
  }

  private static final class StartsTwice extends ForwardingRunnerLauncher {
    StartsTwice(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
      return delegate.start(
          new LaunchSpec(
              "warm-" + UUID.randomUUID(),
              spec.run(),
              spec.epoch(),
              "default",
              spec.environment()));
    }
  }

  private static final class InventsExitCodes extends ForwardingRunnerLauncher {
    InventsExitCodes(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public void observe(RunnerObserver observer) {
      delegate.observe(exit -> observer.ended(RunnerExit.ofCode(exit.runner(), 0)));
    }
  }

  private static final class KillsAtStop extends ForwardingRunnerLauncher {
    KillsAtStop(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public void stop(String runner) {
      delegate.kill(runner);
    }
  }

  private static final class LosesExits extends ForwardingRunnerLauncher {
    LosesExits(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public void observe(RunnerObserver observer) {
      delegate.observe(
          exit -> {
            try {
              observer.ended(exit);
            } catch (RuntimeException e) {
              System.getLogger("test").log(System.Logger.Level.DEBUG, "lost", e);
            }
          });
    }
  }

  private static final class AdoptsNothing extends ForwardingRunnerLauncher {
    AdoptsNothing(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public LaunchedRunner adopt(String runner, @Nullable String handle) {
      return LaunchedRunner.gone(runner);
    }
  }

  private static final class ListsNothing extends ForwardingRunnerLauncher {
    ListsNothing(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public List<LaunchedRunner> list() {
      return List.of();
    }
  }

  private static final class ClaimsAlive extends ForwardingRunnerLauncher {
    ClaimsAlive(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public boolean isAlive(String runner, @Nullable String handle) {
      return true;
    }
  }

  private static final class TrustsPids extends ForwardingRunnerLauncher {
    TrustsPids(RunnerLauncher delegate) {
      super(delegate);
    }

    private static @Nullable String present(@Nullable String handle) {
      return ProcessReference.parse(handle)
          .flatMap(reference -> ProcessHandle.of(reference.pid()))
          .map(live -> new ProcessReference(live.pid(), ProcessStartTime.of(live)).text())
          .orElse(handle);
    }

    @Override
    public LaunchedRunner adopt(String runner, @Nullable String handle) throws LaunchException {
      return delegate.adopt(runner, present(handle));
    }

    @Override
    public boolean isAlive(String runner, @Nullable String handle) {
      return delegate.isAlive(runner, present(handle));
    }
  }

  /** Ends the runners that were started here, and nothing else. */
  private static final class KillsOnlyTheRunner extends ForwardingRunnerLauncher {
    KillsOnlyTheRunner(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public Set<String> kill(KillRequest request, Consumer<String> killed) {
      request
          .below()
          .forEach(
              (run, epoch) -> {
                delegate.kill(run + "-" + (epoch - 1));
                killed.accept(run);
              });
      return Set.of();
    }
  }

  private static final class IgnoresHandles extends ForwardingRunnerLauncher {
    IgnoresHandles(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public Set<String> kill(KillRequest request, Consumer<String> killed) {
      return delegate.kill(new KillRequest(request.below(), Map.of(), request.patience()), killed);
    }
  }

  private static final class KillsNewer extends ForwardingRunnerLauncher {
    KillsNewer(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public Set<String> kill(KillRequest request, Consumer<String> killed) {
      Map<String, Integer> more = new HashMap<>();
      request.below().forEach((run, epoch) -> more.put(run, epoch + 1));
      return delegate.kill(new KillRequest(more, request.former(), request.patience()), killed);
    }
  }

  private static final class WaitsForAll extends ForwardingRunnerLauncher {
    WaitsForAll(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public Set<String> kill(KillRequest request, Consumer<String> killed) {
      List<String> all = new ArrayList<>();
      Set<String> left = delegate.kill(request, all::add);
      // As a launcher that waits for all: the kit's unkillable run holds the others up.
      java.util.concurrent.locks.LockSupport.parkNanos(request.patience().toNanos() * 3);
      all.forEach(killed);
      return left;
    }
  }

  private static final class StartsAnything extends ForwardingRunnerLauncher {
    StartsAnything(RunnerLauncher delegate) {
      super(delegate);
    }

    @Override
    public LaunchedRunner start(LaunchSpec spec) {
      return LaunchedRunner.gone(spec.runner());
    }
  }
}
