/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.subscription.Cancellable;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the log files of old runners: those not written for a week, and the oldest ones beyond
 * 2,000. Never deletes the log of a live runner; the limit of 2,000 also keeps logs written within
 * the last hour.
 */
@ApplicationScoped
class RunnerLogCleaner {
  private static final Logger LOG = Logger.getLogger(RunnerLogCleaner.class);
  private static final Duration EVERY = Duration.ofHours(1);
  private static final Duration FRESH = Duration.ofHours(1);
  private static final Duration KEPT = Duration.ofDays(7);
  private static final int MOST = 2_000;

  private record Log(Path path, Instant written) {}

  private final RunnerProcessLauncher processes;
  private final RunnerProcessRepository table;
  private volatile @Nullable Cancellable ticking;

  RunnerLogCleaner(RunnerProcessLauncher processes, RunnerProcessRepository table) {
    this.processes = processes;
    this.table = table;
  }

  void onStart(@Observes @Priority(4000) StartupEvent event) {
    ticking =
        Multi.createFrom()
            .ticks()
            .onExecutor(Infrastructure.getDefaultWorkerPool())
            .every(EVERY)
            .onOverflow()
            .drop()
            .subscribe()
            .with(tick -> sweep());
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    Cancellable now = ticking;
    if (now != null) {
      now.cancel();
    }
  }

  private void sweep() {
    try {
      Set<String> alive = new HashSet<>();
      table.alive().forEach(entry -> alive.add(entry.id()));
      sweep(processes.logFolder(), alive, Instant.now(), MOST);
    } catch (IOException | RuntimeException e) {
      LOG.warnf("runner logs: cleanup failed, retrying: %s", e);
    }
  }

  /** Returns the number of deleted files. */
  static int sweep(Path folder, Set<String> alive, Instant now, int most) throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    List<Log> logs = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder, "*" + RunnerProcessLauncher.LOG_SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!alive.contains(
            name.substring(0, name.length() - RunnerProcessLauncher.LOG_SUFFIX.length()))) {
          logs.add(new Log(file, Files.getLastModifiedTime(file).toInstant()));
        }
      }
    }
    logs.sort(Comparator.comparing(Log::written).reversed());
    int removed = 0;
    for (int i = 0; i < logs.size(); i++) {
      Instant written = logs.get(i).written();
      boolean old = written.isBefore(now.minus(KEPT));
      boolean over = i >= most && written.isBefore(now.minus(FRESH));
      if (old || over) {
        Files.deleteIfExists(logs.get(i).path());
        removed++;
      }
    }
    return removed;
  }
}
