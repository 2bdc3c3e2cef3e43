/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

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
import dev.baton.launcher.RunnerPoolRegistry;
import dev.baton.launcher.RunnerPoolTemplate;
import dev.baton.launcher.WatchedRunners;
import dev.baton.protocol.retry.Backoff;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs each runner as a pod of a Kubernetes namespace, without a controller: what follows an end is
 * the orchestrator's decision. Pods outlive the orchestrator, also when it is stopped; the next
 * instance, or another replica, adopts them by their handle, the uid of the pod, or by their name.
 * An ended pod is kept until its exit was accepted and the end of its output was stored.
 * Thread-safe.
 */
public final class KubernetesRunnerLauncher implements RunnerLauncher, RunnerPoolRegistry {
  private static final System.Logger LOG =
      System.getLogger(KubernetesRunnerLauncher.class.getName());
  private static final int ATTEMPTS = 30;

  /** Attempts without a longer pause: a container is created within a few seconds. */
  private static final int FAST_ATTEMPTS = 12;

  private static final Duration FIRST_BACKOFF = Duration.ofMillis(500);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

  private final KubernetesLauncherSettings settings;
  private final KubernetesApi api;
  private final PodPoolTable pools;
  private final PodStarter starter;
  private final PodTerminator terminator;
  private final RunnerLogFolder logs;
  private final PodReporter reporter;
  private final OlderEpochKiller killer;
  private final PodMonitor monitor;
  private final RunnerExitReporter exits = new RunnerExitReporter();
  private final WatchedRunners<WatchedPod> watched = new WatchedRunners<>(exits);

  /** Creates a launcher; it sends no request before {@link #observe}. */
  public KubernetesRunnerLauncher(KubernetesLauncherSettings settings) {
    this.settings = settings;
    this.api = new KubernetesApi(settings);
    this.pools = new PodPoolTable(settings);
    this.starter = new PodStarter(settings, pools, api);
    this.terminator = new PodTerminator(api);
    this.logs = new RunnerLogFolder(settings.logFolder());
    this.reporter = new PodReporter(api, terminator, logs, watched, exits);
    this.monitor =
        new PodMonitor(api, settings.relist(), logs, watched, reporter, terminator, exits);
    this.killer =
        new OlderEpochKiller(new LivePods(api, terminator, this::removes), watched::hasRun);
  }

  @Override
  public String type() {
    return "kubernetes";
  }

  @Override
  public LauncherCapabilities capabilities() {
    return new LauncherCapabilities(
        true, true, true, true, false, LauncherCapabilities.FileLocation.RUNNER);
  }

  @Override
  public Location location() {
    return new Location(api.cluster(), api.namespace());
  }

  @Override
  public String selector(String pool) {
    return PodLabels.selector(settings.installation(), pool);
  }

  @Override
  public void put(String pool, RunnerPoolTemplate template) {
    pools.put(pool, template);
  }

  @Override
  public void remove(String pool) {
    pools.remove(pool);
  }

  @Override
  public void observe(RunnerObserver receiver) {
    exits.observe(receiver);
    Thread.ofVirtual().name("kubernetes-monitor").start(monitor::run);
  }

  @Override
  public LaunchedRunner start(LaunchSpec spec) throws LaunchException {
    WatchedPod pod = new WatchedPod(spec.runner(), spec.run());
    return watched.start(pod, () -> seen(pod, starter.start(spec, pod::sees)));
  }

  private LaunchedRunner seen(WatchedPod pod, PodView now) {
    LaunchedRunner view = pod.sees(now);
    pod.knows(view);
    if (!view.phase().isLive()) {
      reporter.report(pod);
    }
    return view;
  }

  @Override
  public LaunchedRunner adopt(String runner, @Nullable String handle) throws LaunchException {
    WatchedPod pod = new WatchedPod(runner, null);
    return watched.adopt(
        pod,
        () -> {
          Optional<PodView> found = find(runner, handle);
          return found.isEmpty() ? LaunchedRunner.gone(runner) : seen(pod, found.get());
        });
  }

  /** Finds the runner's pod, not another one that has its name. */
  private Optional<PodView> find(String runner, @Nullable String handle) throws LaunchException {
    return api.find(PodLabels.name(settings.installation(), runner))
        .filter(pod -> starter.isOwn(pod, runner))
        .filter(pod -> handle == null || handle.equals(pod.uid()));
  }

  @Override
  public List<LaunchedRunner> list() throws LaunchException {
    Map<String, LaunchedRunner> all = new HashMap<>();
    for (Pod pod : api.list().getItems()) {
      PodView found = PodView.of(pod);
      all.put(
          found.runner(),
          new LaunchedRunner(found.runner(), found.uid(), found.phase(), found.reason(), null));
    }
    watched.forEach(all::put);
    return List.copyOf(all.values());
  }

  /** While Kubernetes does not answer, returns what was seen last. */
  @Override
  public boolean isAlive(String runner, @Nullable String handle) {
    try {
      return find(runner, handle).filter(PodView::isLive).isPresent();
    } catch (LaunchException e) {
      WatchedPod known = watched.get(runner);
      PodView last = known == null ? null : known.last();
      return known != null
          && last != null
          && known.phase().isLive()
          && (handle == null || handle.equals(last.uid()));
    }
  }

  @Override
  public void stop(String runner) {
    repeat(runner, "stopped", terminator::stop);
  }

  @Override
  public void kill(String runner) {
    repeat(
        runner,
        "killed",
        pod -> {
          terminator.kill(pod);
          return false; // Until it has ended.
        });
  }

  /** One attempt to end a pod. */
  private interface Attempt {
    /** Returns whether nothing more is to be done. */
    boolean end(PodView pod) throws LaunchException;
  }

  /** Continues on another thread, for about three minutes, when one attempt is not enough. */
  private void repeat(String runner, String what, Attempt attempt) {
    if (!isDone(runner, what, attempt)) {
      Thread.ofVirtual()
          .name("end-" + runner)
          .start(
              () -> {
                Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
                for (int i = 0; i < ATTEMPTS; i++) {
                  Duration pause =
                      i < FAST_ATTEMPTS ? Backoff.jittered(FIRST_BACKOFF) : backoff.next();
                  if (exits.isClosedWithin(pause) || isDone(runner, what, attempt)) {
                    return;
                  }
                }
              });
    }
  }

  private boolean isDone(String runner, String what, Attempt attempt) {
    try {
      Optional<PodView> pod = find(runner, null).filter(PodView::isLive);
      if (pod.isEmpty()) {
        return true;
      }
      removes(runner);
      return attempt.end(pod.get());
    } catch (LaunchException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: its pod cannot be {1} yet, retrying: {2}",
          runner,
          what,
          e.getMessage());
      return false;
    }
  }

  /** Its end will be ours, not that of a person. */
  private void removes(String runner) {
    WatchedPod known = watched.get(runner);
    if (known != null) {
      known.removes(PodExit.Removal.REQUESTED);
    }
  }

  @Override
  public Set<String> kill(KillRequest request, Consumer<String> killed) {
    return killer.kill(request, killed);
  }

  /** Returns the file that receives the end of the output when the pod has ended. */
  @Override
  public String logLocation(String runner) {
    return logs.of(runner).toString();
  }

  @Override
  public void close() {
    exits.close();
    monitor.close();
    api.close();
  }
}
