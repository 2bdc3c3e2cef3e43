/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.retry.Backoff;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.secrets.SecretMasker;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Uploads the logs of all runs that a runner executes: one thread per run that has lines, at most
 * two chunks in memory. A failed upload is retried for as long as the process lives; after that the
 * lines stay on the disk. Thread-safe.
 */
public final class RunLogUploader implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(RunLogUploader.class);
  private static final int UPLOADS_AT_ONCE = 2;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final LogShipper tail;
  private final RunnerStoreClient store;
  private final LogSettings settings;
  private final Semaphore uploads = new Semaphore(UPLOADS_AT_ONCE);
  private final Map<RunLog, Thread> uploaders = new ConcurrentHashMap<>();
  private volatile boolean closed;

  public RunLogUploader(LogShipper tail, RunnerStoreClient store, LogSettings settings) {
    this.tail = tail;
    this.store = store;
    this.settings = settings;
  }

  /**
   * Opens a run's log in the holder's epoch, and adopts the spools of earlier epochs on this disk.
   *
   * @param masker of the run's secrets
   */
  public RunLog open(StoreCaller holder, SecretMasker masker) {
    return new RunLog(
        holder.run(),
        holder.epoch(),
        settings,
        tail,
        masker,
        holder.epoch() > 1 ? found(holder) : List.of(),
        log -> start(log, holder));
  }

  private List<LogSpoolFile> found(StoreCaller holder) {
    Path folder = settings.folder(holder.run());
    if (uploaders.keySet().stream().anyMatch(log -> log.run().equals(holder.run()))) {
      return List.of(); // This process already uploads it.
    }
    List<LogSpoolFile> found = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return found;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.log")) {
      for (Path file : files) {
        if (LogSpoolFile.isOfEarlierEpoch(file, holder.epoch())) {
          found.add(LogSpoolFile.found(file, holder.run()));
        }
      }
    } catch (IOException e) {
      LOG.warnf("run %s: log spool %s cannot be read; it stays there: %s", holder.run(), folder, e);
    }
    found.removeIf(file -> file.index().lines() == 0);
    found.sort(
        Comparator.<LogSpoolFile>comparingInt(file -> file.index().epoch())
            .thenComparingLong(file -> file.index().firstLine()));
    return found;
  }

  private void start(RunLog log, StoreCaller holder) {
    if (closed) {
      return;
    }
    Thread thread =
        Thread.ofVirtual().name("log-" + log.run()).unstarted(() -> upload(log, holder));
    uploaders.put(log, thread);
    thread.start();
  }

  private void upload(RunLog log, StoreCaller holder) {
    try {
      for (Optional<RunLog.Due> due = log.take(); due.isPresent(); due = log.take()) {
        upload(log, holder, due.get());
      }
      Files.deleteIfExists(log.folder());
    } catch (DirectoryNotEmptyException e) {
      LOG.debugf("run %s: log spool %s has files of other epochs", log.run(), log.folder());
    } catch (IOException e) {
      LOG.warnf("run %s: log spool cannot be deleted: %s", log.run(), e);
    } catch (InterruptedException e) {
      LOG.debugf("run %s: the rest of the log stays in %s", log.run(), log.folder());
    } finally {
      uploaders.remove(log);
      synchronized (uploaders) {
        uploaders.notifyAll();
      }
    }
  }

  private void upload(RunLog log, StoreCaller holder, RunLog.Due due)
      throws InterruptedException, IOException {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    boolean warned = false;
    while (true) {
      uploads.acquire();
      try {
        LogChunk chunk = LogChunk.of(due.file().index(), due.file().read(), due.last());
        store.uploadLog(holder, chunk.index(), chunk.object(), chunk.length(), chunk.indexBytes());
        log.uploaded(due);
        due.file().delete();
        return;
      } catch (NoSuchFileException e) {
        log.uploaded(due);
        LOG.warnf(
            "run %s: log spool has been adopted by another runner: %s", log.run(), e.getMessage());
        return;
      } catch (StoreException | IOException e) {
        if (Thread.interrupted()) {
          throw (InterruptedException) new InterruptedException("closed").initCause(e);
        }
        if (!warned) {
          warned = true;
          LOG.warnf(
              "run %s: log lines from %d:%d cannot be uploaded; retrying: %s",
              log.run(),
              due.file().index().epoch(),
              due.file().index().firstLine(),
              e.getMessage());
        }
      } finally {
        uploads.release();
      }
      backoff.pause();
    }
  }

  /** Waits until all lines of ended logs are uploaded and sent, at most this long. */
  public void drain(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    synchronized (uploaders) {
      long left = end - System.nanoTime();
      while (!uploaders.isEmpty() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(uploaders, left);
        left = end - System.nanoTime();
      }
    }
    // After the log itself, since the brokers may be unavailable.
    tail.drain(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }

  /** Leaves what was not drained on the disk. */
  @Override
  public void close() {
    closed = true;
    uploaders.forEach(
        (log, thread) -> {
          if (!log.isDone()) {
            LOG.warnf(
                "run %s: log lines that were not uploaded in time stay in %s",
                log.run(), log.folder());
          }
          thread.interrupt();
        });
    tail.close();
  }
}
