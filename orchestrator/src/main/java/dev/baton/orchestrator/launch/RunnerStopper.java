/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.KillRequest;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.orchestrator.gateway.RunnerCommandDispatcher;
import dev.baton.orchestrator.gateway.RunnerRegistry;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
  private final LaunchedRunnerRepository table;
  private final LauncherRegistry launchers;

  RunnerStopper(
      RunnerRegistry attachments,
      RunnerCommandDispatcher commands,
      LaunchedRunnerRepository table,
      LauncherRegistry launchers) {
    this.commands = commands;
    this.attachments = attachments;
    this.table = table;
    this.launchers = launchers;
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
   * Kills what the launchers of this replica have started for older epochs of runs, without
   * notifying other replicas. Blocks.
   *
   * @param killed receives each run of which nothing is left, at once
   * @return the runs of which a process could not be killed; they are fenced
   */
  Set<String> killHere(Map<String, Integer> below, Duration patience, Consumer<String> killed) {
    Map<String, RunnerLauncher> able = new HashMap<>(launchers.launchers());
    able.values().removeIf(launcher -> !launcher.capabilities().canKill());
    Map<String, Map<String, List<String>>> former = former(below);
    if (able.size() == 1) {
      Map.Entry<String, RunnerLauncher> only = able.entrySet().iterator().next();
      return only.getValue().kill(request(below, former, only.getKey(), patience), killed);
    }
    KillCollector collector = new KillCollector(below.keySet(), able.size(), killed);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      able.forEach(
          (name, launcher) ->
              threads.execute(
                  () -> {
                    try {
                      launcher.kill(request(below, former, name, patience), collector::killed);
                    } catch (RuntimeException | Error e) {
                      collector.failed(e);
                    }
                  }));
    }
    return collector.left();
  }

  private static KillRequest request(
      Map<String, Integer> below,
      Map<String, Map<String, List<String>>> former,
      String launcher,
      Duration patience) {
    return new KillRequest(below, former.getOrDefault(launcher, Map.of()), patience);
  }

  /** Returns the handles of older runners: by launcher, then by run. */
  private Map<String, Map<String, List<String>>> former(Map<String, Integer> below) {
    Map<String, Map<String, List<String>>> former = new HashMap<>();
    for (LaunchedRunnerRepository.Entry old : table.olderThan(below, launchers.bound())) {
      if (old.handle() != null) {
        former
            .computeIfAbsent(old.launcher(), launcher -> new HashMap<>())
            .computeIfAbsent(Objects.requireNonNull(old.run()), run -> new ArrayList<>())
            .add(old.handle());
      }
    }
    return former;
  }

  /**
   * Returns those of these runs that their runner, which was requested to stop, still works on.
   *
   * @param epochs by run
   */
  public Set<String> busy(Map<String, Integer> epochs) {
    Map<String, LaunchedRunnerRepository.Entry> carriers = new HashMap<>();
    for (LaunchedRunnerRepository.Entry carrier : table.carriers(epochs)) {
      carriers.put(Objects.requireNonNull(carrier.run()), carrier);
    }
    Set<String> busy = new HashSet<>(epochs.keySet());
    busy.removeIf(run -> !isBusy(run, Optional.ofNullable(carriers.get(run))));
    return busy;
  }

  private boolean isBusy(String run, Optional<LaunchedRunnerRepository.Entry> own) {
    if (own.isEmpty()) {
      return attachments.holder(run).isPresent();
    }
    LaunchedRunnerRepository.Entry runner = own.get();
    // A runner attached to another replica has stopped when it has exited.
    boolean elsewhere = attachments.runner(runner.id()).isEmpty();
    return runner.handle() != null
        && (elsewhere || attachments.holder(run).isPresent())
        && launchers
            .launcher(runner.launcher())
            .filter(launcher -> launcher.isAlive(runner.id(), runner.handle()))
            .isPresent();
  }
}
