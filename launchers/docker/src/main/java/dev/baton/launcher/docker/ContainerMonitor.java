/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.exception.DockerException;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.RelistLoop;
import dev.baton.launcher.RunnerExitReporter;
import dev.baton.launcher.RunnerLogFolder;
import dev.baton.launcher.WatchedRunners;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Detects the ends of watched containers by Docker's events, within milliseconds. Lists the
 * containers when the stream of events was opened and at an interval, which finds the ends whose
 * event was lost, and removes the containers that are not adopted. Runs on one thread.
 */
final class ContainerMonitor implements RelistLoop.ChangeSource {
  private static final System.Logger LOG = System.getLogger(ContainerMonitor.class.getName());

  /** How long an ended container that was not adopted is kept. */
  private static final Duration KEPT = Duration.ofDays(1);

  /** Longer than any start takes. */
  private static final Duration STARTING = Duration.ofMinutes(10);

  private final DockerEngine engine;
  private final Duration relist;
  private final RunnerLogFolder logs;
  private final WatchedRunners<WatchedContainer> watched;
  private final ContainerExitReporter reporter;
  private final RunnerExitReporter exits;

  ContainerMonitor(
      DockerEngine engine,
      Duration relist,
      RunnerLogFolder logs,
      WatchedRunners<WatchedContainer> watched,
      ContainerExitReporter reporter,
      RunnerExitReporter exits) {
    this.engine = engine;
    this.relist = relist;
    this.logs = logs;
    this.watched = watched;
    this.reporter = reporter;
    this.exits = exits;
  }

  /** Returns when the launcher is closed. */
  void run() {
    new RelistLoop("Docker", relist, exits).run(this);
  }

  @Override
  public RelistLoop.ChangeStream open() throws LaunchException {
    DockerEventStream events = engine.events(this::died);
    boolean isListed = false;
    try {
      list(); // After the stream: it has the ends since.
      isListed = true;
      return events;
    } finally {
      if (!isListed) {
        events.close();
      }
    }
  }

  private void died(String runner) {
    WatchedContainer container = watched.get(runner);
    if (container != null) {
      reporter.settle(container);
    }
  }

  @Override
  public void list() throws LaunchException {
    try {
      listAll();
    } catch (DockerException e) {
      throw new LaunchException.UnavailableException(
          "Docker does not answer: " + e.getMessage(), e);
    }
  }

  private void listAll() throws LaunchException {
    List<DockerContainer> all = engine.list();
    Set<String> ids = new HashSet<>();
    for (DockerContainer container : all) {
      ids.add(container.id());
      WatchedContainer known = watched.get(container.runner());
      if (known == null) {
        sweep(container);
      } else if (!container.isLive()) {
        reporter.settle(known);
      }
    }
    for (WatchedContainer known : watched.all()) {
      String id = known.id();
      if (id != null && !ids.contains(id)) {
        reporter.settle(known); // Removed, or created after the list.
      }
    }
    try {
      logs.clean();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "logs of containers: cleanup failed, retrying: {0}", e);
    }
  }

  private void sweep(DockerContainer container) throws LaunchException {
    Instant now = Instant.now();
    if (container.isCreated()) {
      if (container.created().isBefore(now.minus(STARTING))) {
        engine.remove(container.id());
      }
    } else if (!container.isLive()) {
      Optional<ContainerExit> exit = engine.exit(container.id());
      if (exits.isAccepted(container.runner())
          || exit.filter(ended -> ended.ended().isBefore(now.minus(KEPT))).isPresent()) {
        reporter.discard(container.runner(), container.id());
      }
    }
  }
}
