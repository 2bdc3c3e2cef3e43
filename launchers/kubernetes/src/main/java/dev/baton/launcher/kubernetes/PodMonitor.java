/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.RelistLoop;
import dev.baton.launcher.RunnerExitReporter;
import dev.baton.launcher.RunnerLogFolder;
import dev.baton.launcher.WatchedRunners;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows the installation's pods: a list, a watch from the version of that list on, and further
 * lists that find what a watch has missed. Every end of a watch, also that of a version which the
 * API server no longer has (410), leads to a new list.
 */
final class PodMonitor implements RelistLoop.ChangeSource, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(PodMonitor.class.getName());

  /** How long an ended pod that was not adopted is kept. */
  private static final Duration KEPT = Duration.ofDays(1);

  /** How long a node may take to confirm a deletion after its grace has ended. */
  private static final Duration CONFIRMED = Duration.ofMinutes(1);

  private final KubernetesApi api;
  private final Duration relist;
  private final RunnerLogFolder logs;
  private final WatchedRunners<WatchedPod> watched;
  private final PodReporter reporter;
  private final PodTerminator terminator;
  private final RunnerExitReporter exits;
  private volatile @Nullable PodWatch current;

  PodMonitor(
      KubernetesApi api,
      Duration relist,
      RunnerLogFolder logs,
      WatchedRunners<WatchedPod> watched,
      PodReporter reporter,
      PodTerminator terminator,
      RunnerExitReporter exits) {
    this.api = api;
    this.relist = relist;
    this.logs = logs;
    this.watched = watched;
    this.reporter = reporter;
    this.terminator = terminator;
    this.exits = exits;
  }

  /** Returns when the launcher is closed. */
  void run() {
    new RelistLoop("Kubernetes", relist, exits).run(this);
  }

  @Override
  public RelistLoop.ChangeStream open() throws LaunchException {
    PodWatch watch = api.watch(listAll(), this::saw);
    current = watch;
    return watch;
  }

  @Override
  public void list() throws LaunchException {
    listAll();
  }

  /** Ends the watch of a launcher that is closed, so that {@link #run} returns. */
  @Override
  public void close() {
    PodWatch watch = current;
    if (watch != null) {
      watch.close();
    }
  }

  private void saw(Pod pod, boolean isDeleted) {
    PodView view = PodView.of(pod);
    WatchedPod known = watched.get(view.runner());
    if (known == null) {
      return;
    }
    if (isDeleted) {
      known.seesDeletion(view);
    } else {
      known.sees(view);
    }
    reporter.report(known);
  }

  /** Returns the version of the list. */
  private String listAll() throws LaunchException {
    PodList all = api.list();
    Set<String> uids = new HashSet<>();
    for (Pod pod : all.getItems()) {
      PodView view = PodView.of(pod);
      uids.add(view.uid());
      WatchedPod known = watched.get(view.runner());
      if (known == null) {
        sweep(view);
      } else {
        known.sees(view);
        endOverdue(known, view);
        reporter.report(known);
      }
    }
    for (WatchedPod known : watched.all()) {
      PodView last = known.last();
      if (last != null && !uids.contains(last.uid()) && isGone(last)) {
        known.seesDeletion(last);
        reporter.report(known);
      }
    }
    try {
      logs.clean();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "logs of pods: cleanup failed, retrying: {0}", e);
    }
    return all.getMetadata().getResourceVersion();
  }

  /** Whether it was deleted, and not created after the list. */
  private boolean isGone(PodView pod) throws LaunchException {
    return api.find(pod.name()).filter(now -> now.uid().equals(pod.uid())).isEmpty();
  }

  /** Its node does not answer: what it still executes is fenced by the next epoch. */
  private void endOverdue(WatchedPod known, PodView pod) throws LaunchException {
    Instant overdue = pod.overdue();
    if (overdue != null && pod.isLive() && overdue.plus(CONFIRMED).isBefore(Instant.now())) {
      known.removes(PodExit.Removal.OVERDUE);
      terminator.remove(pod.name(), pod.uid());
    }
  }

  private void sweep(PodView pod) {
    if (!pod.isLive()
        && (exits.isAccepted(pod.runner()) || ended(pod).isBefore(Instant.now().minus(KEPT)))) {
      reporter.discard(pod);
    }
  }

  private static Instant ended(PodView pod) {
    Optional<ContainerStateTerminated> end =
        PodPhase.state(pod.source()).map(ContainerState::getTerminated);
    return end.map(state -> PodView.time(state.getFinishedAt()))
        .filter(time -> time.isAfter(pod.created()))
        .orElse(pod.created());
  }
}
