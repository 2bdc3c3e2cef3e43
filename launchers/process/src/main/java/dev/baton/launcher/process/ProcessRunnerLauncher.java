/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.LauncherCapabilities;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerExitReporter;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.RunnerPhase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs each runner as a process of this host. Detects the exit of child processes within
 * milliseconds, and that of adopted ones within 200 ms and without their exit code. Needs {@code
 * /proc} to find processes by name and to kill those that have left their runner.
 *
 * <p>Handles are {@code <pid>@<start in ms>}; a start that differs by more than 2 s is another
 * process. Thread-safe.
 */
public final class ProcessRunnerLauncher implements RunnerLauncher {
  private static final System.Logger LOG = System.getLogger(ProcessRunnerLauncher.class.getName());
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration CLEAN_EVERY = Duration.ofHours(1);

  /** A runner whose exit the observer has not accepted. */
  private record WatchedProcess(
      ProcessReference reference,
      ProcessHandle handle,
      AtomicReference<@Nullable RunnerExit> exit) {
    WatchedProcess(ProcessHandle handle) {
      this(ProcessReference.of(handle), handle, new AtomicReference<>());
    }

    LaunchedRunner runner(String name) {
      return new LaunchedRunner(
          name,
          reference.text(),
          exit.get() == null ? RunnerPhase.RUNNING : RunnerPhase.ENDED,
          null,
          reference.pid());
    }
  }

  private final RunnerProcessStarter starter;
  private final OrphanProcessReaper reaper;
  private final ProcessLauncherSettings settings;
  private final Map<String, WatchedProcess> watched = new ConcurrentHashMap<>();
  private final RunnerExitReporter exits = new RunnerExitReporter();

  /** Creates a launcher; it does nothing before {@link #observe}. */
  public ProcessRunnerLauncher(ProcessLauncherSettings settings) {
    this.settings = settings;
    this.starter = new RunnerProcessStarter(settings);
    this.reaper = OrphanProcessReaper.sparingSelf(settings.runsFolder(), ProcessTerminator.SIGKILL);
  }

  @Override
  public String type() {
    return "process";
  }

  @Override
  public LauncherCapabilities capabilities() {
    return new LauncherCapabilities(
        !settings.command().isEmpty(),
        false,
        true,
        false,
        true,
        LauncherCapabilities.FileLocation.HOST);
  }

  @Override
  public void observe(RunnerObserver receiver) {
    exits.observe(receiver);
    Thread.ofVirtual().name("runner-logs").start(this::cleanLogs);
  }

  @Override
  public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
    WatchedProcess before = watched.get(spec.runner());
    if (before != null) {
      return before.runner(spec.runner());
    }
    exits.requireObserver(); // Before the process starts: its exit must have a receiver.
    if (settings.command().isEmpty()) {
      throw new LaunchException.RejectedException("no command to start runners is configured");
    }
    try {
      return switch (starter.start(spec)) {
        case RunnerProcessStarter.Result.Child(Process process) -> watch(spec.runner(), process);
        case RunnerProcessStarter.Result.Found(ProcessHandle handle) ->
            watch(spec.runner(), handle);
      };
    } catch (IOException e) {
      throw new LaunchException.UnavailableException(
          "cannot start " + settings.command().getFirst() + ": " + e.getMessage(), e);
    }
  }

  private LaunchedRunner watch(String runner, Process process) {
    WatchedProcess child = new WatchedProcess(process.toHandle());
    watched.put(runner, child);
    process
        .onExit()
        .thenAccept(
            exited ->
                Thread.ofVirtual()
                    .name("exit-" + runner)
                    .start(() -> deliver(child, RunnerExit.ofCode(runner, exited.exitValue()))));
    return child.runner(runner);
  }

  /** Watches a process of another parent; its exit code stays unknown. */
  private LaunchedRunner watch(String runner, ProcessHandle handle) {
    WatchedProcess stranger = new WatchedProcess(handle);
    WatchedProcess before = watched.putIfAbsent(runner, stranger);
    if (before != null) {
      return before.runner(runner);
    }
    Thread.ofVirtual()
        .name("watch-" + runner)
        .start(
            () -> {
              while (stranger.reference().alive().isPresent()) {
                if (exits.isClosedWithin(POLL)) {
                  return;
                }
              }
              deliver(stranger, RunnerExit.unknown(runner));
            });
    return stranger.runner(runner);
  }

  private void deliver(WatchedProcess process, RunnerExit exit) {
    process.exit().set(exit);
    if (exits.report(exit)) {
      watched.remove(exit.runner(), process);
    }
  }

  @Override
  public LaunchedRunner adopt(String runner, @Nullable String handle) {
    WatchedProcess before = watched.get(runner);
    if (before != null) {
      return before.runner(runner);
    }
    return find(runner, handle)
        .map(found -> watch(runner, found))
        .orElseGet(() -> LaunchedRunner.gone(runner));
  }

  private Optional<ProcessHandle> find(String runner, @Nullable String handle) {
    if (handle != null) {
      return ProcessReference.parse(handle).flatMap(ProcessReference::alive);
    }
    try {
      return starter.find(runner);
    } catch (IOException e) {
      throw new UncheckedIOException("runner " + runner + ": cannot read its recorded handle", e);
    }
  }

  @Override
  public List<LaunchedRunner> list() {
    Map<String, LaunchedRunner> all = new HashMap<>();
    starter
        .all()
        .forEach((runner, handle) -> all.put(runner, new WatchedProcess(handle).runner(runner)));
    watched.forEach((runner, process) -> all.put(runner, process.runner(runner)));
    return List.copyOf(all.values());
  }

  @Override
  public boolean isAlive(String runner, @Nullable String handle) {
    return find(runner, handle).isPresent();
  }

  @Override
  public void stop(String runner) {
    live(runner).ifPresent(ProcessHandle::destroy);
  }

  @Override
  public void kill(String runner) {
    live(runner).ifPresent(ProcessHandle::destroyForcibly);
  }

  private Optional<ProcessHandle> live(String runner) {
    return Optional.ofNullable(watched.get(runner)).flatMap(process -> process.reference().alive());
  }

  @Override
  public Set<String> kill(KillRequest request, Consumer<String> killed) {
    Map<String, List<Long>> seeds = new HashMap<>();
    request
        .former()
        .forEach(
            (run, handles) -> {
              List<Long> pids = new ArrayList<>();
              for (String handle : handles) {
                ProcessReference.parse(handle)
                    .filter(reference -> !reference.isReused())
                    .ifPresent(reference -> pids.add(reference.pid()));
              }
              seeds.put(run, pids);
            });
    Map<String, Set<Long>> left = reaper.kill(request.below(), seeds, request.patience(), killed);
    left.forEach(
        (run, pids) ->
            LOG.log(
                System.Logger.Level.ERROR,
                "run {0}: cannot kill the processes {1} of an older epoch within {2}; they are fenced",
                run,
                pids,
                request.patience()));
    return left.keySet();
  }

  @Override
  public String logLocation(String runner) {
    return settings.log(runner).toString();
  }

  private void cleanLogs() {
    RunnerLogCleaner cleaner = new RunnerLogCleaner(settings.logFolder());
    while (!exits.isClosedWithin(CLEAN_EVERY)) {
      try {
        cleaner.sweep(list().stream().map(LaunchedRunner::runner).toList());
      } catch (IOException | RuntimeException e) {
        LOG.log(System.Logger.Level.WARNING, "runner logs: cleanup failed, retrying: {0}", e);
      }
    }
  }

  @Override
  public void close() {
    exits.close();
  }
}
