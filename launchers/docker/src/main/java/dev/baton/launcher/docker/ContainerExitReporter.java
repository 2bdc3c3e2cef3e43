/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.exception.DockerException;
import dev.baton.launcher.ExitReason;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerExitReporter;
import dev.baton.launcher.RunnerLogFolder;
import dev.baton.launcher.WatchedRunners;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Reports the exits of watched containers until the observer accepts them, then stores the end of
 * their output and removes them. Thread-safe.
 */
final class ContainerExitReporter {
  private static final System.Logger LOG = System.getLogger(ContainerExitReporter.class.getName());

  private final DockerEngine engine;
  private final String installation;
  private final RunnerLogFolder logs;
  private final WatchedRunners<WatchedContainer> watched;
  private final RunnerExitReporter exits;

  ContainerExitReporter(
      DockerEngine engine,
      String installation,
      RunnerLogFolder logs,
      WatchedRunners<WatchedContainer> watched,
      RunnerExitReporter exits) {
    this.engine = engine;
    this.installation = installation;
    this.logs = logs;
    this.watched = watched;
    this.exits = exits;
  }

  /** Determines on another thread whether the container has ended, and reports it then. */
  void settle(WatchedContainer container) {
    if (container.beginSettling()) {
      Thread.ofVirtual()
          .name("exit-" + container.runner())
          .start(
              () -> {
                if (!isSettled(container)) {
                  container.endSettling();
                }
              });
    }
  }

  private boolean isSettled(WatchedContainer container) {
    String runner = container.runner();
    String known = container.id();
    String id = known == null ? ContainerLabels.name(installation, runner) : known;
    RunnerExit exit;
    try {
      Optional<DockerContainer> found = engine.find(id);
      if (found.isPresent() ? found.get().isLive() : known == null) {
        return false;
      }
      id = found.map(DockerContainer::id).orElse(id);
      exit =
          engine
              .exit(id)
              .map(ended -> ended.of(runner))
              .orElseGet(
                  () ->
                      new RunnerExit(
                          runner, null, ExitReason.DELETED, "its container was removed"));
    } catch (LaunchException | DockerException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: cannot read the exit of its container; the next list of containers"
              + " repeats it: {1}",
          runner,
          e.getMessage());
      return false;
    }
    container.ends();
    if (!exits.report(exit)) {
      return false;
    }
    watched.remove(container);
    discard(runner, id);
    return true;
  }

  /** Stores the end of the output and removes the container; repeated by the next list. */
  void discard(String runner, String container) {
    if (exits.isClosedWithin(Duration.ZERO)) {
      return; // A later instance removes it, after a day.
    }
    try {
      logs.store(runner, engine.log(container));
    } catch (IOException | LaunchException | DockerException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: the output of its container is lost: {1}",
          runner,
          e.getMessage());
    }
    try {
      engine.remove(container);
    } catch (LaunchException | DockerException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "runner {0}: its container cannot be removed yet: {1}",
          runner,
          e.getMessage());
    }
  }
}
