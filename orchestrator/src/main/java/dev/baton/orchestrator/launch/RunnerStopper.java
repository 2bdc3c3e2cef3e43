/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.gateway.RunnerCommandDispatcher;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.process.ProcessStartTime;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/**
 * Stops the processes that work on a run: after a grace period when the run was cancelled, at once
 * when it has a new runner.
 */
@ApplicationScoped
public class RunnerStopper {
  /** How long a runner may take to stop after the request. */
  public static final Duration GRACE = Duration.ofSeconds(3);

  /** How long a replacement waits for the death of its predecessor's processes. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Logger LOG = Logger.getLogger(RunnerStopper.class);

  private final RunnerRegistry attachments;
  private final RunnerCommandDispatcher commands;
  private final RunnerProcessRepository table;
  private final OrphanProcessReaper leftovers;

  RunnerStopper(
      RunnerRegistry attachments,
      RunnerCommandDispatcher commands,
      RunnerProcessRepository table,
      RunnerProcessLauncher processes,
      ProcessTerminator terminator) {
    this.commands = commands;
    this.attachments = attachments;
    this.table = table;
    this.leftovers = OrphanProcessReaper.sparingSelf(processes.runsFolder(), terminator::terminate);
  }

  /**
   * Fences and kills the older epochs of runs on this host. Does not block; each run ends on its
   * own.
   *
   * @param below by run: the lowest epoch that is not fenced
   * @return by run: completes when no process of it is left, or after 15 s, when those that are
   *     left are only fenced; fails when the processes cannot be determined
   */
  public Map<String, CompletableFuture<Void>> kill(Map<String, Integer> below) {
    Map<String, Integer> epochs = Map.copyOf(below);
    Map<String, CompletableFuture<Void>> ends = new HashMap<>();
    epochs.keySet().forEach(run -> ends.put(run, new CompletableFuture<>()));
    Map<String, CompletableFuture<Void>> open = Map.copyOf(ends);
    Thread.ofVirtual()
        .name("kill")
        .start(
            () -> {
              try {
                commands.fence(epochs);
                killHere(epochs, PATIENCE, run -> end(open, run));
                open.keySet().forEach(run -> end(open, run));
              } catch (RuntimeException | Error e) {
                open.values().forEach(end -> end.completeExceptionally(e));
              }
            });
    return open;
  }

  private static void end(Map<String, CompletableFuture<Void>> ends, String run) {
    CompletableFuture<Void> end = ends.get(run);
    if (end != null) {
      end.complete(null);
    }
  }

  /**
   * Kills the older epochs of runs on this host, without notifying other replicas. Blocks.
   *
   * @param killed receives each run without a process, at once
   * @return the runs with a process that could not be killed; they are fenced
   */
  Set<String> killHere(Map<String, Integer> below, Duration patience, Consumer<String> killed) {
    Map<String, List<Long>> seeds = new HashMap<>();
    for (RunnerProcessRepository.Entry old : table.olderThan(below)) {
      seed(old)
          .ifPresent(
              pid ->
                  seeds
                      .computeIfAbsent(Objects.requireNonNull(old.run()), run -> new ArrayList<>())
                      .add(pid));
    }
    Map<String, Set<Long>> left = leftovers.kill(below, seeds, patience, killed);
    left.forEach(
        (run, pids) ->
            LOG.errorf(
                "run %s: cannot kill the processes %s of an older epoch within %s; they are fenced",
                run, pids, patience));
    return left.keySet();
  }

  /** Returns the pid unless it was reused. */
  private static Optional<Long> seed(RunnerProcessRepository.Entry runner) {
    Long pid = runner.pid();
    Long startedAt = runner.startedAtMs();
    if (pid == null || startedAt == null) {
      return Optional.empty();
    }
    boolean other =
        ProcessHandle.of(pid)
            .map(handle -> !ProcessStartTime.isSame(handle, startedAt))
            .orElse(false);
    return other ? Optional.empty() : Optional.of(pid);
  }

  /**
   * Returns those of these runs that their runner, which was requested to stop, still works on.
   *
   * @param epochs by run
   */
  public Set<String> busy(Map<String, Integer> epochs) {
    Map<String, RunnerProcessRepository.Entry> carriers = new HashMap<>();
    for (RunnerProcessRepository.Entry carrier : table.carriers(epochs)) {
      carriers.put(Objects.requireNonNull(carrier.run()), carrier);
    }
    Set<String> busy = new HashSet<>(epochs.keySet());
    busy.removeIf(run -> !isBusy(run, Optional.ofNullable(carriers.get(run))));
    return busy;
  }

  private boolean isBusy(String run, Optional<RunnerProcessRepository.Entry> own) {
    if (own.isEmpty()) {
      return attachments.holder(run).isPresent();
    }
    Long pid = own.get().pid();
    Long startedAt = own.get().startedAtMs();
    // A runner attached to another replica has stopped when its process has exited.
    boolean elsewhere = attachments.runner(own.get().id()).isEmpty();
    return pid != null
        && startedAt != null
        && (elsewhere || attachments.holder(run).isPresent())
        && ProcessStartTime.alive(pid, startedAt).isPresent();
  }
}
