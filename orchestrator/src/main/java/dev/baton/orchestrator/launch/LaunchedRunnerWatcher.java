/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.RunnerPhase;
import dev.baton.orchestrator.failover.RunnerExitPublisher;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.protocol.retry.Backoff;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Observes the runners of all launchers: publishes their exits, and kills a runner that does not
 * attach within the timeout of its phase, which is then handled like any exit.
 */
@ApplicationScoped
public class LaunchedRunnerWatcher implements RunnerObserver {
  private static final Logger LOG = Logger.getLogger(LaunchedRunnerWatcher.class);
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

  /** A runner has ended. */
  record RunnerGone(String runner, RunnerConnection.Mode mode, RunnerPlace place) {}

  private final LaunchedRunnerRepository table;
  private final RunnerExitPublisher gone;
  private final RunnerRegistry attachments;
  private final Event<RunnerGone> ended;
  private final ReplicaBus bus;
  private final Map<String, WatchedRunner> watched = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  LaunchedRunnerWatcher(
      LaunchedRunnerRepository table,
      RunnerExitPublisher gone,
      RunnerRegistry attachments,
      Event<RunnerGone> ended,
      ReplicaBus bus) {
    this.bus = bus;
    this.table = table;
    this.gone = gone;
    this.attachments = attachments;
    this.ended = ended;
  }

  /** A runner from before its start until its exit. */
  static final class WatchedRunner {
    private final String runner;
    private final RunnerConnection.Mode mode;
    private final LaunchPermit permit;
    private final RunnerLauncher launcher;
    private final boolean started;
    private volatile @Nullable LaunchedRunner seen;
    private volatile long phaseNanos = System.nanoTime();

    private WatchedRunner(
        String runner,
        RunnerConnection.Mode mode,
        LaunchPermit permit,
        RunnerLauncher launcher,
        boolean started) {
      this.runner = runner;
      this.mode = mode;
      this.permit = permit;
      this.launcher = launcher;
      this.started = started;
    }

    RunnerConnection.Mode mode() {
      return mode;
    }

    RunnerPlace place() {
      return permit.place();
    }

    RunnerLauncher launcher() {
      return launcher;
    }

    /** Whether its program runs, so that it may be attached. */
    boolean isRunning() {
      return phase() == RunnerPhase.RUNNING;
    }

    boolean isAlive() {
      LaunchedRunner last = seen;
      return last != null && launcher.isAlive(runner, last.handle());
    }

    private RunnerPhase phase() {
      LaunchedRunner last = seen;
      return last == null ? RunnerPhase.STARTING : last.phase();
    }

    /** How long the runner may still stay in its phase; null when without limit. */
    private @Nullable Duration left() {
      return place()
          .timeouts()
          .in(phase())
          .map(all -> all.minusNanos(System.nanoTime() - phaseNanos))
          .orElse(null);
    }

    /** Returns whether its timeout begins again. */
    private boolean sees(LaunchedRunner now) {
      boolean restarted = LaunchTimeouts.isRestarted(phase(), now.phase());
      seen = now;
      if (restarted) {
        phaseNanos = System.nanoTime();
      }
      return restarted;
    }
  }

  /**
   * Watches a runner that is about to be started: its launcher may report its exit before the start
   * has returned.
   *
   * @param permit ended with the runner
   * @return false when it is watched already; the permit is then not used
   */
  boolean expect(
      String runner, RunnerConnection.Mode mode, LaunchPermit permit, RunnerLauncher launcher) {
    return watch(new WatchedRunner(runner, mode, permit, launcher, true));
  }

  /** Like {@link #expect}, for a runner that a previous orchestrator process has started. */
  boolean expectAdopted(
      String runner, RunnerConnection.Mode mode, LaunchPermit permit, RunnerLauncher launcher) {
    return watch(new WatchedRunner(runner, mode, permit, launcher, false));
  }

  private boolean watch(WatchedRunner runner) {
    return watched.putIfAbsent(runner.runner, runner) == null;
  }

  /** Watches its attach, from now on. */
  void started(LaunchedRunner runner) {
    WatchedRunner known = watched.get(runner.runner());
    if (known != null) {
      known.sees(runner);
      expectAttach(known);
    }
  }

  /**
   * Records what is known of a watched runner, since a launch that is repeated may have ended
   * before that. Blocks for one statement.
   *
   * @return false when the runner is not watched
   */
  boolean recordAgain(String runner) {
    WatchedRunner known = watched.get(runner);
    LaunchedRunner last = known == null ? null : known.seen;
    if (last != null) {
      table.launched(last);
    }
    return known != null;
  }

  /** Removes a runner that could not be started, or does not exist any more. */
  void notStarted(String runner) {
    WatchedRunner known = watched.remove(runner);
    if (known != null) {
      known.permit.ended();
    }
  }

  /**
   * Records the exit of a runner that no longer exists. Fires no event: the pools do not count it.
   */
  void absent(String runner) {
    Thread.ofVirtual().name("absent-" + runner).start(() -> recordAbsent(runner));
  }

  /** The live runners, and those being started. */
  Map<String, WatchedRunner> watched() {
    return Map.copyOf(watched);
  }

  /** Stops reporting exits; the next start finds that the runners have ended. */
  void stop() {
    stopping = true;
  }

  @Override
  public void changed(LaunchedRunner runner) {
    WatchedRunner known = watched.get(runner.runner());
    if (known == null || stopping) {
      return;
    }
    if (known.sees(runner)) {
      expectAttach(known);
    }
    table.launched(runner);
  }

  /** Records an exit; fails when it cannot be recorded, and its launcher then reports it again. */
  @Override
  public void ended(RunnerExit exit) {
    String runner = exit.runner();
    WatchedRunner known = watched.remove(runner);
    if (known != null) {
      known.permit.ended();
      attachments.expectNoMore(runner);
      attachments.gone(runner);
    }
    if (stopping) {
      throw new IllegalStateException("the orchestrator stops; the next one reports the exit");
    }
    if (known != null) {
      LOG.infof(
          "runner %s has exited (%s)",
          runner, exit.exitCode() == null ? "code unknown" : "code " + exit.exitCode());
      ended.fire(new RunnerGone(runner, known.mode, known.place()));
    }
    record(exit);
  }

  private void record(RunnerExit exit) {
    gone.exited(exit.runner(), exit.exitCode());
    // Last: until it is recorded, a restart detects the exit again.
    String detail = exit.detail();
    table.exited(
        exit.runner(),
        exit.exitCode(),
        detail == null ? exit.reason().word() : exit.reason().word() + ": " + detail);
  }

  private void recordAbsent(String runner) {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    while (!stopping) {
      try {
        record(RunnerExit.unknown(runner));
        return;
      } catch (RuntimeException e) {
        LOG.warnf("runner %s: cannot publish its exit yet, retrying: %s", runner, e);
      }
      if (!backoff.pauseUnlessInterrupted()) {
        return;
      }
    }
  }

  /**
   * Kills a runner that does not attach. An adopted runner with open runs may work without its
   * stream and is not killed: its heartbeats report its state. Without a timeout in its phase, the
   * runner is expected again in its next one.
   */
  private void expectAttach(WatchedRunner known) {
    CompletableFuture<Void> attach = attachments.expect(known.runner);
    Duration left = known.left();
    if (left != null) {
      attach.orTimeout(Math.max(1, left.toMillis()), TimeUnit.MILLISECONDS);
    }
    attach.whenComplete(
        (attached, late) -> {
          attachments.expectNoMore(known.runner);
          known.permit.started();
          if (late != null) {
            Thread.ofVirtual().name("late-" + known.runner).start(() -> late(known));
          }
        });
  }

  private void late(WatchedRunner known) {
    String runner = known.runner;
    if (stopping || watched.get(runner) != known || !known.isAlive()) {
      return;
    }
    Duration left = known.left();
    if (left == null || left.isPositive()) { // In a later phase than when the wait began.
      expectAttach(known);
      return;
    }
    if ((!known.started && mayBeAtWork(runner)) || isElsewhere(runner)) {
      known.phaseNanos = System.nanoTime();
      expectAttach(known);
      return;
    }
    LOG.warnf(
        "runner %s (phase %s) has not attached within %s and is killed",
        runner, known.phase().word(), known.place().timeouts().in(known.phase()).orElse(null));
    known.launcher.kill(runner);
  }

  /**
   * Whether another replica reports that the runner is attached to it, or that cannot be checked.
   */
  private boolean isElsewhere(String runner) {
    try {
      CompletableFuture<Void> had = attachments.expect(runner);
      bus.tell(new ReplicaMessage.WhoHas(runner)).await().atMost(ANSWER);
      had.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException | RuntimeException e) {
      LOG.warnf("runner %s: cannot check whether it is attached elsewhere: %s", runner, e);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    } finally {
      attachments.expectNoMore(runner);
    }
  }

  private boolean mayBeAtWork(String runner) {
    try {
      return gone.carriesOpenRuns(runner);
    } catch (RuntimeException e) {
      LOG.warnf("runner %s: cannot check whether it carries runs: %s", runner, e);
      return true;
    }
  }
}
