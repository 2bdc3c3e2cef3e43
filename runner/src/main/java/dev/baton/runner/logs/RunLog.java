/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogStream;
import dev.baton.protocol.retry.Backoff;
import dev.baton.runner.secrets.SecretMasker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of one run in one epoch: numbers the lines of all its steps, spools them on the disk and
 * passes them to an uploader, file by file. A caller that adds lines waits only for the disk.
 * Thread-safe.
 */
public final class RunLog {
  /** How long the first file accepts lines; the time doubles with each next file. */
  private static final Duration FIRST_DUE = Duration.ofSeconds(1);

  private static final Duration LONGEST_DUE = Duration.ofSeconds(30);

  private final String run;
  private final int epoch;
  private final LogSettings settings;
  private final Path folder;
  private final LogShipper tail;
  private final Runnable starter;
  private final SecretMasker masker;
  private final SkippedLineCounter passed = new SkippedLineCounter();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<LogSpoolFile> sealed = new ArrayDeque<>();
  private @Nullable LogSpoolFile current;
  private long currentDue;
  private final Backoff due = Backoff.exponential(FIRST_DUE, LONGEST_DUE);
  private long nextLine = 1;
  private long sealedBytes;
  private boolean started;
  private boolean ended;
  private boolean lastTaken;

  /**
   * @param masker of the run's secrets
   * @param found what earlier runners left on the disk, in order
   * @param starter called once, as soon as there are lines to upload
   */
  RunLog(
      String run,
      int epoch,
      LogSettings settings,
      LogShipper tail,
      SecretMasker masker,
      List<LogSpoolFile> found,
      Consumer<RunLog> starter) {
    this.run = run;
    this.epoch = epoch;
    this.settings = settings;
    this.folder = settings.folder(run);
    this.tail = tail;
    this.masker = masker;
    this.starter = () -> starter.accept(this);
    sealed.addAll(found);
    found.forEach(file -> sealedBytes += file.size());
    if (!found.isEmpty()) {
      started = true;
      this.starter.run();
    }
  }

  /** Masks the secrets of the run. */
  SecretMasker masker() {
    return masker;
  }

  /** Returns the log of an attempt. */
  public StepLog step(String step, int visit, int attempt) {
    return new StepLog(this, new LogAttempt(step, visit, attempt));
  }

  /** Adds a line of the runner itself, regardless of the limits. */
  public void note(LogAttempt attempt, String text) {
    byte[] bytes = bounded(masker.mask(text));
    notice(attempt, bytes, LogRecord.Missing.NOTHING);
    flush();
  }

  /**
   * Adds a line.
   *
   * @param kept bytes of the attempt that are in the log so far
   * @return false if a limit is reached; the line is then counted as missing
   */
  boolean line(
      LogAttempt attempt,
      LogStream stream,
      boolean cut,
      byte[] text,
      int length,
      MissingLineCounter missing,
      long kept) {
    Instant now = Instant.now();
    long number;
    lock.lock();
    try {
      String refusal = refusal(length, kept);
      if (refusal != null) {
        missing.add(length, refusal);
        return false;
      }
      noticeLocked(attempt, missing, now);
      LogSpoolFile file = file();
      file.line(attempt, stream, micros(now), cut, text, length);
      number = nextLine++;
      rotate(file);
    } finally {
      lock.unlock();
    }
    if (tail.hasRoom(length, passed)) {
      String shown = new String(text, 0, length, UTF_8);
      tail.ship(
          live(attempt, stream, now, shown, number, cut, LogRecord.Missing.NOTHING),
          length,
          passed);
    }
    return true;
  }

  /** Returns why this many more bytes are refused; null if they are accepted. */
  private @Nullable String refusal(int length, long kept) {
    if (kept + length > settings.attemptBytes()) {
      return "the attempt's log has reached its bound, baton.logs.max is %d bytes"
          .formatted(settings.attemptBytes());
    }
    LogSpoolFile file = current;
    long spooled = sealedBytes + (file == null ? 0 : file.size());
    if (spooled + length > settings.spoolBytes()) {
      return "the runner's spool was full, baton.logs.spool.max is %d bytes"
          .formatted(settings.spoolBytes());
    }
    IOException trouble = file == null ? null : file.refusal();
    return trouble == null ? null : "the runner's spool cannot be written: " + trouble.getMessage();
  }

  /** Adds the pending notice of missing lines, if there is one, regardless of the limits. */
  void noticeOf(LogAttempt attempt, MissingLineCounter missing) {
    lock.lock();
    try {
      noticeLocked(attempt, missing, Instant.now());
    } finally {
      lock.unlock();
    }
  }

  private void noticeLocked(LogAttempt attempt, MissingLineCounter missing, Instant now) {
    LogRecord.Missing owed = missing.take();
    if (owed != null) {
      String text =
          "%d lines (%d bytes) are missing here: %s"
              .formatted(owed.lines(), owed.bytes(), missing.why());
      noticeLocked(attempt, bounded(text), owed, now);
    }
  }

  private void notice(LogAttempt attempt, byte[] text, LogRecord.Missing missing) {
    lock.lock();
    try {
      noticeLocked(attempt, text, missing, Instant.now());
    } finally {
      lock.unlock();
    }
  }

  private void noticeLocked(
      LogAttempt attempt, byte[] text, LogRecord.Missing missing, Instant now) {
    LogSpoolFile file = file();
    file.notice(attempt, micros(now), text, missing);
    long number = nextLine++;
    rotate(file);
    tail.ship(
        live(attempt, LogStream.BATON, now, new String(text, UTF_8), number, false, missing),
        text.length,
        passed);
  }

  private LiveLogLine live(
      LogAttempt attempt,
      LogStream stream,
      Instant now,
      String text,
      long number,
      boolean cut,
      LogRecord.Missing missing) {
    return new LiveLogLine(
        run,
        epoch,
        attempt.step(),
        attempt.visit(),
        attempt.attempt(),
        stream.word(),
        now,
        text,
        number,
        cut ? Boolean.TRUE : null,
        null,
        null,
        missing.lines() == 0 ? null : (Long) missing.lines(),
        missing.bytes() == 0 ? null : (Long) missing.bytes());
  }

  private LogSpoolFile file() {
    LogSpoolFile file = current;
    if (file == null) {
      file = LogSpoolFile.of(folder, run, epoch, nextLine);
      current = file;
      currentDue = System.nanoTime() + due.next().toNanos();
      if (!started) {
        started = true;
        starter.run();
      }
      changed.signalAll();
    }
    return file;
  }

  private void rotate(LogSpoolFile file) {
    if (file.isFull()) {
      seal(file);
    }
  }

  private void seal(LogSpoolFile file) {
    file.seal();
    sealed.add(file);
    sealedBytes += file.size();
    current = null;
    changed.signalAll();
  }

  /** Writes the newest lines to the disk. */
  void flush() {
    lock.lock();
    try {
      if (current != null) {
        current.flush();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the log: no line follows. Does not wait for the upload. */
  public void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (!passed.isEmpty()) {
      String text = "the live tail skipped lines; the run's log has them";
      tail.ship(
          live(
              new LogAttempt("", 1, 1),
              LogStream.BATON,
              Instant.now(),
              text,
              0,
              false,
              LogRecord.Missing.NOTHING),
          text.length(),
          passed);
    }
  }

  String run() {
    return run;
  }

  int epoch() {
    return epoch;
  }

  Path folder() {
    return folder;
  }

  /**
   * A file to be uploaded.
   *
   * @param last whether it is the last of its epoch
   */
  record Due(LogSpoolFile file, boolean last) {}

  /**
   * Waits until a file is due and returns it; empty once the log has ended and all files were
   * taken. For one uploader, which gets the same file again until it calls {@link #uploaded}.
   */
  Optional<Due> take() throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        LogSpoolFile file = current;
        long left = currentDue - System.nanoTime();
        if (file != null && (ended || left <= 0)) {
          seal(file);
        }
        LogSpoolFile first = sealed.peek();
        if (first != null) {
          return Optional.of(new Due(first, isLast(first)));
        }
        if (ended) {
          return lastTaken || nextLine == 1 ? Optional.empty() : Optional.of(mark());
        }
        if (file == null) {
          changed.await();
        } else {
          changed.await(left, TimeUnit.NANOSECONDS);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Adds a file without lines that marks the end of the log. */
  private Due mark() {
    LogSpoolFile mark = LogSpoolFile.of(folder, run, epoch, nextLine);
    sealed.add(mark);
    return new Due(mark, true);
  }

  /** For an earlier epoch: whether it is the last file that was found. */
  private boolean isLast(LogSpoolFile file) {
    int of = file.index().epoch();
    LogSpoolFile behind =
        sealed.stream().skip(1).filter(next -> next.index().epoch() == of).findFirst().orElse(null);
    return behind == null && (of != epoch || (ended && current == null));
  }

  /** Removes a file whose lines are acknowledged. */
  void uploaded(Due due) {
    lock.lock();
    try {
      if (sealed.remove(due.file())) {
        sealedBytes -= due.file().size();
      }
      lastTaken |= due.last() && due.file().index().epoch() == epoch;
    } finally {
      lock.unlock();
    }
  }

  /** Whether no line of it waits for upload, and none will. */
  boolean isDone() {
    lock.lock();
    try {
      return ended && current == null && sealed.isEmpty() && (lastTaken || nextLine == 1);
    } finally {
      lock.unlock();
    }
  }

  private static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000L + time.getNano() / 1_000;
  }

  private static byte[] bounded(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return bytes.length <= LogRecord.MAX_BYTES ? bytes : Arrays.copyOf(bytes, LogRecord.MAX_BYTES);
  }
}
