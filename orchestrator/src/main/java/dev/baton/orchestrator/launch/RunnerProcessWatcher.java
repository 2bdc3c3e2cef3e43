/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.failover.RunnerExitPublisher;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.replicas.ReplicaBus;
import dev.baton.orchestrator.replicas.ReplicaMessage;
import dev.baton.process.ProcessStartTime;
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
 * Detects the exit of runner processes: within milliseconds for child processes, within 200 ms for
 * those of a previous orchestrator process. Kills a runner that does not attach in time, which is
 * then handled like any exit.
 */
@ApplicationScoped
public class RunnerProcessWatcher {
  private static final Logger LOG = Logger.getLogger(RunnerProcessWatcher.class);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration ANSWER = Duration.ofSeconds(2);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

  /** A runner process has ended. */
  public record RunnerGone(String runner, RunnerConnection.Mode mode) {}

  private final RunnerProcessRepository table;
  private final RunnerExitPublisher gone;
  private final RunnerRegistry attachments;
  private final Event<RunnerGone> ended;
  private final ReplicaBus bus;
  private final Duration attachWithin;
  private final Map<String, ProcessHandle> watched = new ConcurrentHashMap<>();
  private volatile boolean stopping;

  RunnerProcessWatcher(
      RunnerProcessRepository table,
      RunnerExitPublisher gone,
      RunnerRegistry attachments,
      Event<RunnerGone> ended,
      ReplicaBus bus,
      OrchestratorConfig config) {
    this.bus = bus;
    this.table = table;
    this.gone = gone;
    this.attachments = attachments;
    this.ended = ended;
    this.attachWithin = config.launcher().timeout();
  }

  /**
   * Watches a child process.
   *
   * @param start ended when the runner attaches, misses its attach timeout, or exits
   */
  void child(
      String runner, RunnerConnection.Mode mode, Process process, LaunchLimiter.Start start) {
    watched.put(runner, process.toHandle());
    expectAttach(runner, process.toHandle(), true).whenComplete((attached, late) -> start.end());
    process
        .onExit()
        .thenAccept(
            exited ->
                Thread.ofVirtual()
                    .name("exit-" + runner)
                    .start(
                        () -> {
                          start.end();
                          exited(runner, mode, exited.exitValue());
                        }));
  }

  /** Watches a process that a previous orchestrator process started; its exit code is unknown. */
  void stranger(String runner, RunnerConnection.Mode mode, RunnerProcessLauncher.Started started) {
    watched.put(runner, started.handle());
    expectAttach(runner, started.handle(), false);
    Thread.ofVirtual()
        .name("watch-" + runner)
        .start(
            () -> {
              long pid = started.handle().pid();
              while (ProcessStartTime.alive(pid, started.startedAtMs()).isPresent()) {
                if (!sleep(POLL)) {
                  return;
                }
              }
              exited(runner, mode, null);
            });
  }

  /**
   * Records the exit of a process that no longer exists. Fires no event: the pools do not count it.
   */
  void absent(String runner) {
    Thread.ofVirtual().name("absent-" + runner).start(() -> record(runner, null));
  }

  /** The live processes. */
  Map<String, ProcessHandle> watched() {
    return Map.copyOf(watched);
  }

  /** Stops reporting exits; the next start finds that the processes have exited. */
  void stop() {
    stopping = true;
  }

  private void exited(String runner, RunnerConnection.Mode mode, @Nullable Integer exitCode) {
    watched.remove(runner);
    attachments.expectNoMore(runner);
    attachments.gone(runner);
    if (stopping) {
      return;
    }
    LOG.infof(
        "runner %s has exited (%s)",
        runner, exitCode == null ? "code unknown" : "code " + exitCode);
    ended.fire(new RunnerGone(runner, mode));
    record(runner, exitCode);
  }

  private void record(String runner, @Nullable Integer exitCode) {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    while (!stopping) {
      try {
        gone.exited(runner, exitCode);
        // Last: until it is recorded, a restart detects the exit again.
        table.exited(runner, exitCode);
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
   * stream and is not killed: its heartbeats report its state.
   *
   * @return completes when it has attached, or exceptionally after the timeout
   */
  private CompletableFuture<Void> expectAttach(
      String runner, ProcessHandle process, boolean ownChild) {
    return attachments
        .expect(runner)
        .orTimeout(attachWithin.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (attached, late) -> {
              attachments.expectNoMore(runner);
              if (late != null) {
                Thread.ofVirtual()
                    .name("late-" + runner)
                    .start(() -> late(runner, process, ownChild));
              }
            });
  }

  private void late(String runner, ProcessHandle process, boolean ownChild) {
    if (stopping || !process.isAlive() || !watched.containsKey(runner)) {
      return;
    }
    if (!ownChild && mayBeAtWork(runner)) {
      expectAttach(runner, process, false);
      return;
    }
    if (isElsewhere(runner)) {
      expectAttach(runner, process, ownChild);
      return;
    }
    LOG.warnf(
        "runner %s (pid %d) has not attached within %s and is killed",
        runner, process.pid(), attachWithin);
    process.destroyForcibly();
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

  private static boolean sleep(Duration duration) {
    try {
      Thread.sleep(duration);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
