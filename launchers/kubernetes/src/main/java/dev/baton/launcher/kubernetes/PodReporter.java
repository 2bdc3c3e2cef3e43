/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerExitReporter;
import dev.baton.launcher.RunnerLogFolder;
import dev.baton.launcher.WatchedRunners;
import java.io.IOException;
import java.time.Duration;

/**
 * Reports phases of watched pods, and exits until the observer accepts them; then stores the end of
 * the output and deletes the pod. One thread for each pod that has changed. Thread-safe.
 */
final class PodReporter {
  private static final System.Logger LOG = System.getLogger(PodReporter.class.getName());

  private final KubernetesApi api;
  private final PodTerminator terminator;
  private final RunnerLogFolder logs;
  private final WatchedRunners<WatchedPod> watched;
  private final RunnerExitReporter exits;

  PodReporter(
      KubernetesApi api,
      PodTerminator terminator,
      RunnerLogFolder logs,
      WatchedRunners<WatchedPod> watched,
      RunnerExitReporter exits) {
    this.api = api;
    this.terminator = terminator;
    this.logs = logs;
    this.watched = watched;
    this.exits = exits;
  }

  /** Reports changes of the pod on another thread. */
  void report(WatchedPod pod) {
    if (pod.beginReporting()) {
      Thread.ofVirtual()
          .name("pod-" + pod.runner())
          .start(
              () -> {
                do {
                  reportChange(pod);
                  reportExit(pod);
                } while (!pod.endReporting());
              });
    }
  }

  private void reportChange(WatchedPod pod) {
    LaunchedRunner change = pod.change();
    if (change != null && change.phase().isLive()) {
      try {
        exits.reportChange(change);
      } catch (RuntimeException e) {
        LOG.log(
            System.Logger.Level.WARNING,
            "runner {0}: its phase {1} is not accepted; the next change repeats it: {2}",
            pod.runner(),
            change.phase().word(),
            e);
      }
    }
  }

  private void reportExit(WatchedPod pod) {
    RunnerExit exit = pod.exit();
    if (exit == null || !watched.contains(pod) || !exits.report(exit)) {
      return;
    }
    watched.remove(pod);
    PodView last = pod.last();
    if (last != null && !pod.isDeleted()) {
      discard(last);
    }
  }

  /** Stores the end of the output and deletes the pod; repeated by the next list. */
  void discard(PodView pod) {
    if (exits.isClosedWithin(Duration.ZERO)) {
      return; // A later instance deletes it, after a day.
    }
    try {
      logs.store(pod.runner(), api.log(pod.name()));
    } catch (IOException | LaunchException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: the output of its pod is lost: {1}",
          pod.runner(),
          e.getMessage());
    }
    try {
      terminator.remove(pod.name(), pod.uid());
    } catch (LaunchException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: its pod cannot be deleted yet: {1}",
          pod.runner(),
          e.getMessage());
    }
  }
}
