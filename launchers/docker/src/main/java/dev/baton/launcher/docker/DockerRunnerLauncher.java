/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.exception.DockerException;
import dev.baton.launcher.KillRequest;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.LauncherCapabilities;
import dev.baton.launcher.OlderEpochKiller;
import dev.baton.launcher.RunnerExitReporter;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerLogFolder;
import dev.baton.launcher.RunnerObserver;
import dev.baton.launcher.WatchedRunners;
import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs each runner as a container of a Docker host. Containers outlive the orchestrator, also when
 * it is stopped; the next instance, or another replica, adopts them by their handle, the id of the
 * container, or by their name. An ended container is kept until its exit was accepted and the end
 * of its output was stored. Thread-safe.
 */
public final class DockerRunnerLauncher implements RunnerLauncher {
  private static final System.Logger LOG = System.getLogger(DockerRunnerLauncher.class.getName());
  private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");
  private static final int SIGNALS = 20;
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(500);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

  private final DockerLauncherSettings settings;
  private final DockerEngine engine;
  private final ContainerStarter starter;
  private final RunnerLogFolder logs;
  private final ContainerExitReporter reporter;
  private final OlderEpochKiller killer;
  private final RunnerExitReporter exits = new RunnerExitReporter();
  private final WatchedRunners<WatchedContainer> watched = new WatchedRunners<>(exits);

  /** Creates a launcher; it sends no request before {@link #observe}. */
  public DockerRunnerLauncher(DockerLauncherSettings settings) {
    this.settings = settings;
    this.engine = new DockerEngine(settings);
    this.starter = new ContainerStarter(settings, engine);
    this.logs = new RunnerLogFolder(settings.logFolder());
    this.reporter =
        new ContainerExitReporter(engine, settings.installation(), logs, watched, exits);
    this.killer = new OlderEpochKiller(new LiveContainers(engine), watched::hasRun);
  }

  @Override
  public String type() {
    return "docker";
  }

  @Override
  public LauncherCapabilities capabilities() {
    return new LauncherCapabilities(
        true, true, true, true, settings.isLocal(), LauncherCapabilities.FileLocation.RUNNER);
  }

  @Override
  public void observe(RunnerObserver receiver) {
    exits.observe(receiver);
    ContainerMonitor monitor =
        new ContainerMonitor(engine, settings.relist(), logs, watched, reporter, exits);
    Thread.ofVirtual().name("docker-monitor").start(monitor::run);
  }

  @Override
  public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
    WatchedContainer container = new WatchedContainer(spec.runner(), spec.run());
    return watched.start(container, () -> seen(container, starter.start(spec, container::sees)));
  }

  private LaunchedRunner seen(WatchedContainer container, DockerContainer now) {
    LaunchedRunner runner = container.sees(now);
    if (!now.isLive()) {
      reporter.settle(container);
    }
    return runner;
  }

  @Override
  public LaunchedRunner adopt(String runner, @Nullable String handle) throws LaunchException {
    WatchedContainer container = new WatchedContainer(runner, null);
    return watched.adopt(container, () -> adopt(container, handle));
  }

  private LaunchedRunner adopt(WatchedContainer container, @Nullable String handle)
      throws LaunchException {
    String runner = container.runner();
    Optional<DockerContainer> found = find(runner, handle);
    if (found.isEmpty()) {
      return LaunchedRunner.gone(runner);
    }
    DockerContainer now = found.get();
    if (!now.isCreated()) {
      return seen(container, now);
    }
    try {
      return seen(container, starter.start(now)); // Its creator died in between.
    } catch (LaunchException.RejectedException | LaunchException.NoRoomException e) {
      LOG.log(System.Logger.Level.WARNING, "runner {0}: {1}", runner, e.getMessage());
      return LaunchedRunner.gone(runner);
    }
  }

  /** Finds the runner's container, not another one that has the handle or the name. */
  private Optional<DockerContainer> find(String runner, @Nullable String handle)
      throws LaunchException {
    if (handle != null && !ID.matcher(handle).matches()) {
      return Optional.empty();
    }
    String container =
        handle == null ? ContainerLabels.name(settings.installation(), runner) : handle;
    return engine.find(container).filter(found -> starter.isOwn(found, runner));
  }

  @Override
  public List<LaunchedRunner> list() throws LaunchException {
    Map<String, LaunchedRunner> all = new HashMap<>();
    for (DockerContainer found : engine.list()) {
      all.put(
          found.runner(),
          new LaunchedRunner(found.runner(), found.id(), found.phase(), null, null));
    }
    watched.forEach(all::put);
    return List.copyOf(all.values());
  }

  /** While Docker does not answer, returns what was seen last. */
  @Override
  public boolean isAlive(String runner, @Nullable String handle) {
    try {
      return find(runner, handle).filter(DockerContainer::isLive).isPresent();
    } catch (LaunchException | DockerException e) {
      WatchedContainer known = watched.get(runner);
      return known != null
          && known.phase().isLive()
          && (handle == null || handle.equals(known.id()));
    }
  }

  @Override
  public void stop(String runner) {
    signal(runner, "SIGTERM");
  }

  @Override
  public void kill(String runner) {
    signal(runner, "SIGKILL");
  }

  /** Repeats a signal that Docker has not answered, on another thread, for about three minutes. */
  private void signal(String runner, String signal) {
    if (!isSent(runner, signal)) {
      Thread.ofVirtual()
          .name("signal-" + runner)
          .start(
              () -> {
                Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
                for (int i = 0; i < SIGNALS && !exits.isClosedWithin(backoff.next()); i++) {
                  if (isSent(runner, signal)) {
                    return;
                  }
                }
              });
    }
  }

  private boolean isSent(String runner, String signal) {
    WatchedContainer known = watched.get(runner);
    String id = known == null ? null : known.id();
    try {
      engine.signal(
          id == null ? ContainerLabels.name(settings.installation(), runner) : id, signal);
      return true;
    } catch (LaunchException | DockerException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: {1} cannot be sent to its container: {2}",
          runner,
          signal,
          e.getMessage());
      return false;
    }
  }

  @Override
  public Set<String> kill(KillRequest request, Consumer<String> killed) {
    return killer.kill(request, killed);
  }

  /** Returns the file that receives the end of the output when the container has ended. */
  @Override
  public String logLocation(String runner) {
    return logs.of(runner).toString();
  }

  @Override
  public void close() {
    exits.close();
    engine.close();
  }
}
