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
import org.jboss.logging.Logger;

/**
 * Stops the processes that work on a run: after a grace period when the run was cancelled, at once
 * when it has a new runner.
 */
@ApplicationScoped
public class RunnerStopper {
  /** How long a runner may take to stop after the request. */
  public static final Duration GRACE = Duration.ofSeconds(3);

  private static final Logger LOG = Logger.getLogger(RunnerStopper.class);

  private final RunnerRegistry attachments;
  private final RunnerCommandDispatcher commands;
  private final RunnerProcessRepository table;
  private final OrphanProcessReaper leftovers;

  RunnerStopper(
      RunnerRegistry attachments,
      RunnerCommandDispatcher commands,
      RunnerProcessRepository table,
      RunnerProcessLauncher processes) {
    this.commands = commands;
    this.attachments = attachments;
    this.table = table;
    this.leftovers = OrphanProcessReaper.sparingSelf(processes.runsFolder());
  }

  /**
   * Fences and kills the older epochs of runs on this host.
   *
   * @param below by run: the lowest epoch that is not fenced
   * @return the runs with a process that could not be killed; the caller retries them
   */
  public Set<String> kill(Map<String, Integer> below) {
    commands.fence(below);
    return killHere(below);
  }

  /** Like {@link #kill}, without notifying other replicas. */
  Set<String> killHere(Map<String, Integer> below) {
    Map<String, List<Long>> seeds = new HashMap<>();
    below.forEach(
        (run, epoch) -> {
          List<Long> ofRun = new ArrayList<>();
          for (RunnerProcessRepository.Entry old : table.olderThan(run, epoch)) {
            seed(old).ifPresent(ofRun::add);
          }
          seeds.put(run, ofRun);
        });
    Set<Long> left = leftovers.kill(below, seeds.values().stream().flatMap(List::stream).toList());
    if (left.isEmpty()) {
      return Set.of();
    }
    Set<String> runs = new HashSet<>();
    below.forEach(
        (run, epoch) -> {
          if (!leftovers.find(Map.of(run, epoch), seeds.getOrDefault(run, List.of())).isEmpty()) {
            runs.add(run);
          }
        });
    LOG.errorf("cannot kill processes of older epochs: pids %s of runs %s", left, runs);
    return runs;
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
