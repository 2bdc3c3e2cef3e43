/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogStream;
import dev.baton.protocol.trace.LogTail;
import dev.baton.runner.secrets.StreamMasker;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Receives one attempt's stdout and stderr: adds the lines to the run's log, and keeps the tail,
 * the digest and the counts for the trace. Thread-safe; each stream is written by one thread.
 */
public final class StepLog {
  static final int TAIL_BYTES = 4 * 1024;

  /** How long a stream has to be silent before the short beginning of a secret is shown. */
  private static final long PAUSE_MILLIS = 500;

  private final RunLog log;
  private final LogAttempt attempt;
  private final MessageDigest digest = Digest.sha256();
  private final byte[] tail = new byte[TAIL_BYTES];
  private final MissingLineCounter missing = new MissingLineCounter();
  private long bytes;
  private long lines;
  private long keptBytes;

  StepLog(RunLog log, LogAttempt attempt) {
    this.log = log;
    this.attempt = attempt;
  }

  /** Returns a writer for {@code stdout} or {@code stderr}. */
  public Stream stream(String name) {
    return new Stream(
        LogStream.of(name).orElseThrow(() -> new IllegalArgumentException("no stream " + name)));
  }

  /** Adds a line of the runner itself to the log. */
  public void note(String text) {
    log.note(attempt, text);
  }

  /** Returns what the event records about the log so far. */
  public synchronized LogTail tail() {
    int kept = (int) Math.min(bytes, TAIL_BYTES);
    byte[] last = new byte[kept];
    for (int i = 0; i < kept; i++) {
      last[i] = tail[(int) ((bytes - kept + i) % TAIL_BYTES)];
    }
    LogRecord.Missing all = missing.all();
    return new LogTail(
        new String(last, StandardCharsets.UTF_8),
        Digest.ofHash(digestSoFar()),
        bytes,
        lines,
        all.lines(),
        all.bytes());
  }

  private byte[] digestSoFar() {
    try {
      return ((MessageDigest) digest.clone()).digest();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("SHA-256 of the JDK cannot be cloned", e);
    }
  }

  private synchronized void keep(byte[] chunk, int count) {
    digest.update(chunk, 0, count);
    int from = Math.max(0, count - TAIL_BYTES);
    bytes += from;
    for (int i = from; i < count; i++) {
      tail[(int) (bytes++ % TAIL_BYTES)] = chunk[i];
    }
  }

  private synchronized void counted(boolean kept, int length) {
    if (kept) {
      lines++;
      keptBytes += length;
    }
  }

  private synchronized long keptBytes() {
    return keptBytes;
  }

  /** One of the two streams. */
  public final class Stream {
    private final LogStream name;
    private final LineSplitter splitter = new LineSplitter(this::line);
    private final StreamMasker masker = log.masker().stream();

    /** Chunks so far, to find out whether the stream pauses. */
    private long chunks;

    private boolean timed;
    private boolean ended;

    private Stream(LogStream name) {
      this.name = name;
    }

    /** Adds bytes; secrets in them are masked, also across chunks and lines. */
    public synchronized void write(byte[] chunk, int count) {
      if (masker.isIdle()) {
        add(chunk, count);
        return;
      }
      chunks++;
      add(masker.accept(chunk, count));
      if (masker.isPausing()) {
        awaitPause();
      }
    }

    private void add(byte[] bytes) {
      if (bytes.length > 0) {
        add(bytes, bytes.length);
      }
    }

    private void add(byte[] chunk, int count) {
      keep(chunk, count);
      splitter.accept(chunk, count);
      log.flush();
    }

    private void awaitPause() {
      if (!timed) {
        timed = true;
        long before = chunks;
        CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
            .execute(() -> pause(before));
      }
    }

    private synchronized void pause(long before) {
      timed = false;
      if (ended || !masker.isPausing()) {
        return;
      }
      if (chunks == before) {
        add(masker.pause());
      } else {
        awaitPause();
      }
    }

    /** Also adds the notice of missing lines to the log. */
    public synchronized void end() {
      ended = true;
      add(masker.end());
      splitter.end();
      log.noticeOf(attempt, missing);
      log.flush();
    }

    private void line(byte[] text, int length, boolean cut) {
      counted(log.line(attempt, name, cut, text, length, missing, keptBytes()), length);
    }
  }
}
