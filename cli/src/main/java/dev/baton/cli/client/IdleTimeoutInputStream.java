/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Closes a stream that has been idle for too long; its reader, which cannot be interrupted
 * otherwise, then sees the end of the stream. For one reader.
 */
final class IdleTimeoutInputStream extends FilterInputStream {
  private final long limit;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile long heard = System.nanoTime();
  private volatile boolean exceeded;

  IdleTimeoutInputStream(InputStream in, Duration limit) {
    super(in);
    this.limit = limit.toNanos();
    Thread.ofVirtual().name("silence").start(this::watch);
  }

  @Override
  public int read() throws IOException {
    try {
      int one = in.read();
      heard = System.nanoTime();
      return one;
    } catch (IOException e) {
      return end(e);
    }
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    try {
      int count = in.read(bytes, offset, length);
      heard = System.nanoTime();
      return count;
    } catch (IOException e) {
      return end(e);
    }
  }

  /** Maps the failed read of a closed stream to its end, if this class closed it. */
  private int end(IOException failure) throws IOException {
    if (exceeded) {
      return -1;
    }
    throw failure;
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    super.close();
  }

  private void watch() {
    try {
      long left = limit;
      while (!closed.await(left, TimeUnit.NANOSECONDS)) {
        left = heard + limit - System.nanoTime();
        if (left <= 0) {
          exceeded = true;
          in.close();
          return;
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException _) {
      // Closed as far as possible; the reader gets the error from its own call.
    }
  }
}
