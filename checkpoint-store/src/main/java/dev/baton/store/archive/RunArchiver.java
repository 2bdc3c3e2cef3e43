/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.retry.Backoff;
import dev.baton.server.PeriodicTask;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.trace.RunsQuiescedEvent;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Archives runs one at a time on a background thread; callers never wait for it. A run that is
 * queued twice is archived once. Runs that are lost with the process, do not fit into the queue, or
 * fail are found again by a periodic sweep over their events in Postgres.
 */
@ApplicationScoped
public class RunArchiver {
  private static final Logger LOG = Logger.getLogger(RunArchiver.class);

  private static final int LONGEST_QUEUE = 10_000;
  private static final Duration GATHER = Duration.ofMillis(20);
  private static final int ATTEMPTS = 3;

  private static final Duration FIRST_PAUSE = Duration.ofMillis(400);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** After this many failures in a row the cause is not the runs, so the turn ends. */
  private static final int MOST_IN_A_ROW = 5;

  /** Delay between the last erasure and the collection of the erased runs' objects. */
  private static final Duration SETTLE = Duration.ofSeconds(10);

  /** Younger objects may be of a git fetch in progress. */
  private static final Duration YOUNG = Duration.ofSeconds(5);

  private final ArchiveLocation place;
  private final ArchiveRepository marks;
  private final ArchiveCommitBuilder gathering;
  private final ArchiveImporter hydration;
  private final ArchiveMetrics metrics;
  private final Duration interval;
  private final LinkedHashSet<String> queue = new LinkedHashSet<>();

  /** Held while the repository is written or collected. */
  private final ReentrantLock writing = new ReentrantLock();

  private @Nullable PeriodicTask loop;
  private boolean started;
  private long nextLook;
  private volatile long nextCollection;

  RunArchiver(
      ArchiveLocation place,
      ArchiveRepository marks,
      ArchiveCommitBuilder gathering,
      ArchiveImporter hydration,
      ArchiveMetrics metrics,
      StoreConfig config) {
    this.place = place;
    this.marks = marks;
    this.gathering = gathering;
    this.hydration = hydration;
    this.metrics = metrics;
    interval = config.archive().interval();
  }

  void onStart(@Observes StartupEvent event) {
    if (place.isConfigured()) {
      place.requireSupported();
      nextLook = System.nanoTime();
      nextCollection = System.nanoTime();
      loop = PeriodicTask.start("archive", interval, this::turn);
      loop.wakeIn(Duration.ZERO);
    }
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  /** Never blocks: called on an event loop. */
  void onRested(@Observes RunsQuiescedEvent rested) {
    if (loop == null) {
      return;
    }
    synchronized (queue) {
      for (String run : rested.runs()) {
        if (queue.size() < LONGEST_QUEUE) {
          queue.add(run);
        }
      }
    }
    loop.wakeIn(GATHER);
  }

  private @Nullable String next() {
    synchronized (queue) {
      return queue.isEmpty() ? null : queue.removeFirst();
    }
  }

  private void turn() {
    try (GitRunStore git = place.open()) {
      if (!started) {
        marks.forgive();
        started = true;
      }
      boolean look = nextLook - System.nanoTime() <= 0;
      if (look) {
        hydrate(git);
      }
      Streak streak = new Streak();
      for (String run = next(); run != null; run = next()) {
        archive(git, run, streak);
      }
      if (look) {
        sweep(git, streak);
        nextLook = System.nanoTime() + interval.toNanos();
      }
      collect(git);
    } catch (RuntimeException e) {
      metrics.failed();
      throw e;
    }
  }

  /** Imports runs; a failure is retried at the next interval and does not delay archiving. */
  private void hydrate(GitRunStore git) {
    try {
      hydration.run(git);
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw e;
      }
      metrics.failed();
      LOG.warnf(
          "could not import runs from the archive, retrying in %s: %s",
          interval, FailureTranslator.words(e));
      LOG.debug("hydration", e);
    }
  }

  /** The number of consecutive runs that could not be archived. */
  private static final class Streak {
    private int failed;
  }

  /** Archives all runs whose newest events are not archived. */
  private void sweep(GitRunStore git, Streak streak) {
    String after = "";
    for (List<String> due = marks.due(after); !due.isEmpty(); due = marks.due(after)) {
      for (String run : due) {
        archive(git, run, streak);
        after = run;
      }
    }
  }

  private void archive(GitRunStore git, String run, Streak streak) {
    for (int attempt = 1; ; attempt++) {
      try {
        archive(git, run);
        streak.failed = 0;
        return;
      } catch (IOException | RuntimeException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw StoreRequestException.unavailable("interrupted");
        }
        LOG.warnf("run %s could not be archived: %s", run, FailureTranslator.words(e));
        LOG.debug(run, e);
        metrics.failed();
        if (attempt == ATTEMPTS) {
          giveUp(run, streak);
          return;
        }
        pause(Backoff.delay(FIRST_PAUSE, LONGEST_PAUSE, attempt));
      }
    }
  }

  private void giveUp(String run, Streak streak) {
    if (++streak.failed == MOST_IN_A_ROW) {
      throw StoreRequestException.unavailable(
          "%d runs in a row could not be archived, the last was %s".formatted(MOST_IN_A_ROW, run));
    }
    marks.failed(run);
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreRequestException.unavailable("interrupted");
    }
  }

  private void archive(GitRunStore git, String run) throws IOException {
    long start = System.nanoTime();
    Path trace = Files.createTempFile("baton-archive-", ".jsonl");
    writing.lock();
    try {
      if (marks.isErased(run)) {
        return;
      }
      GitRunStore.Archived last = git.find(run).orElse(null);
      Optional<ArchiveCommitBuilder.Gathered> found = gathering.gather(run, last, trace);
      if (found.isEmpty()) {
        LOG.warnf("run %s is not archived: its run_created is not stored", run);
        marks.kept(run, marks.position(run));
        return;
      }
      ArchiveCommitBuilder.Gathered gathered = found.get();
      Optional<String> commit =
          git.write(run, last, gathered.files(), message(gathered.manifest()), Instant.now());
      marks.kept(run, gathered.position());
      metrics.written(Duration.ofNanos(System.nanoTime() - start));
      commit.ifPresent(made -> LOG.debugf("run %s is archived as %s", run, made));
    } finally {
      writing.unlock();
      Files.deleteIfExists(trace);
    }
  }

  private static String message(RunManifest run) {
    return "run %s %s%n%nworkflow %s, %d events%n"
        .formatted(run.run(), run.status(), run.workflow(), run.events())
        .replace("\r", "");
  }

  /**
   * Deletes objects of erased runs, but not in a repository with a working tree, where only its
   * owner may collect garbage.
   */
  private void collect(GitRunStore git) {
    if (nextCollection - System.nanoTime() > 0) {
      return;
    }
    List<String> owed = marks.owed();
    if (owed.isEmpty()) {
      return;
    }
    if (!git.isBare()) {
      LOG.warnf(
          "the objects of %d deleted runs stay in %s until `git gc --prune=now` there: it is not"
              + " bare",
          owed.size(), git.folder());
      marks.paid(owed);
      return;
    }
    writing.lock();
    try {
      git.collect(Instant.now().minus(YOUNG));
      marks.paid(owed);
    } catch (IOException e) {
      throw StoreRequestException.unavailable(FailureTranslator.words(e));
    } finally {
      writing.unlock();
    }
  }

  /** Counts the run's refs, 0 or 1. Blocks. */
  public long count(String run) {
    if (!place.isConfigured()) {
      return 0;
    }
    try (GitRunStore git = place.open()) {
      return git.find(run).isPresent() ? 1 : 0;
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "the archive cannot be read: " + FailureTranslator.words(e));
    }
  }

  /**
   * Deletes the run's ref; a later collection deletes its objects. The run is not archived again,
   * and not imported again if the ref reappears. Idempotent. Blocks.
   *
   * @return the number of deleted refs, 0 or 1
   * @throws StoreRequestException UNAVAILABLE if the archive cannot be opened
   */
  public long erase(String run) {
    if (!place.isConfigured()) {
      return 0;
    }
    writing.lock();
    try (GitRunStore git = place.open()) {
      marks.erased(run);
      boolean there = git.delete(run);
      nextCollection = System.nanoTime() + SETTLE.toNanos();
      if (loop != null) {
        loop.wakeIn(SETTLE);
      }
      return there ? 1 : 0;
    } catch (IOException e) {
      throw StoreRequestException.unavailable(
          "run %s could not be erased from the archive: %s"
              .formatted(run, FailureTranslator.words(e)));
    } finally {
      writing.unlock();
    }
  }
}
