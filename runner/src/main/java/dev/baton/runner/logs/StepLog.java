/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.trace.Digest;
import dev.baton.protocol.trace.LogTail;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;

/**
 * Takes one attempt's stdout and stderr: ships the lines, keeps the tail and the digest for the
 * trace. Thread-safe; each stream is written by one thread.
 */
public final class StepLog {
  static final int TAIL_BYTES = 4 * 1024;

  private final LogShipper shipper;
  private final String run;
  private final int epoch;
  private final String step;
  private final int attempt;
  private final MessageDigest digest = Digest.sha256();
  private final byte[] tail = new byte[TAIL_BYTES];
  private long bytes;

  public StepLog(LogShipper shipper, String run, int epoch, String step, int attempt) {
    this.shipper = shipper;
    this.run = run;
    this.epoch = epoch;
    this.step = step;
    this.attempt = attempt;
  }

  /** A writer for {@code stdout} or {@code stderr}. */
  public Stream stream(String name) {
    return new Stream(name);
  }

  /** What the event says about the log so far. */
  public synchronized LogTail tail() {
    int kept = (int) Math.min(bytes, TAIL_BYTES);
    byte[] last = new byte[kept];
    for (int i = 0; i < kept; i++) {
      last[i] = tail[(int) ((bytes - kept + i) % TAIL_BYTES)];
    }
    return new LogTail(
        new String(last, StandardCharsets.UTF_8), Digest.ofHash(digestSoFar()), bytes);
  }

  private byte[] digestSoFar() {
    try {
      return ((MessageDigest) digest.clone()).digest();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the JDK's SHA-256 can be cloned", e);
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

  /** One of the two streams. */
  public final class Stream {
    private final LineSplitter splitter;

    private Stream(String name) {
      splitter =
          new LineSplitter(
              text ->
                  shipper.ship(new LogLine(run, epoch, step, attempt, name, Instant.now(), text)));
    }

    public void write(byte[] chunk, int count) {
      keep(chunk, count);
      splitter.accept(chunk, count);
    }

    public void end() {
      splitter.end();
    }
  }
}
