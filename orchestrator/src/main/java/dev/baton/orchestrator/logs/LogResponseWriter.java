/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Writes lines of JSON to a response in batches. A response requests one item at a time, so its
 * current demand is not usable for backpressure; its total demand is: at most {@value #AHEAD} items
 * of about {@value #BATCH_BYTES} bytes are ahead of it.
 */
final class LogResponseWriter {
  private static final int AHEAD = 16;
  private static final int BATCH_BYTES = 64 * 1024;
  private static final int UNBOUNDED = Integer.MAX_VALUE / 4;
  private static final long LOOK_MS = 100;

  /** The time after which a caller that reads nothing, such as a pager, may lose its reader. */
  private static final Duration STALL = Duration.ofMinutes(1);

  private final Semaphore room = new Semaphore(AHEAD);
  private final Semaphore stop = new Semaphore(0);
  private Buffer batch = Buffer.buffer();
  private volatile boolean unbounded;
  private volatile boolean stopped;
  private volatile boolean evicted;
  private final Duration stall;

  /** By {@link System#nanoTime}; empty while the caller reads. */
  private volatile OptionalLong waitingSince = OptionalLong.empty();

  LogResponseWriter() {
    this(STALL);
  }

  /**
   * @param stall after which a caller that reads nothing is stalled
   */
  LogResponseWriter(Duration stall) {
    this.stall = stall;
  }

  /** Records that the response has requested more items. */
  void requested(long items) {
    if (items > UNBOUNDED) {
      unbounded = true;
    } else {
      room.release((int) items);
    }
  }

  /** Stops writing: the caller has disconnected. */
  void stop() {
    stopped = true;
    stop.release();
  }

  boolean isStopped() {
    return stopped;
  }

  /** Waits for this time, or until the caller disconnects. */
  void pause(long millis) throws InterruptedException {
    if (stop.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
      stop.release();
    }
  }

  /** Adds a line; waits while the caller is slow. */
  void add(LogLineView line, MultiEmitter<? super Buffer> out) throws InterruptedException {
    if (batch.length() > 0) {
      batch.appendByte((byte) '\n');
    }
    batch.appendBytes(Json.bytes(line));
    if (batch.length() >= BATCH_BYTES) {
      flush(out);
    }
  }

  /** Writes the batch. Each item of this media type becomes a line, so it has no line end. */
  void flush(MultiEmitter<? super Buffer> out) throws InterruptedException {
    if (batch.length() == 0) {
      return;
    }
    Buffer full = batch;
    batch = Buffer.buffer();
    write(full, out);
  }

  private void write(Buffer full, MultiEmitter<? super Buffer> out) throws InterruptedException {
    waitingSince = OptionalLong.of(System.nanoTime());
    while (!stopped) {
      if (unbounded || room.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS)) {
        waitingSince = OptionalLong.empty();
        out.emit(full);
        return;
      }
      if (evicted) {
        stop();
        out.fail(
            new IOException(
                "the caller read nothing for " + stall.toSeconds() + " s, and others wait"));
      }
    }
  }

  /** Ends the response if its caller has stalled; false if it has not. */
  boolean evictIfStalled() {
    OptionalLong since = waitingSince;
    evicted |=
        since.isPresent() && System.nanoTime() - since.getAsLong() > stall.toNanos() && !stopped;
    return evicted;
  }
}
