/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * Ends a download that takes longer than the limit for the next 64 KiB. Checks after each read,
 * which the socket's own timeout ends: this needs no timer on the path of a failover.
 */
final class StallCheckedInputStream extends FilterInputStream {
  private final String path;
  private final Duration limit;
  private long began = System.nanoTime();
  private long received;

  StallCheckedInputStream(InputStream in, String path, Duration limit) {
    super(in);
    this.path = path;
    this.limit = limit;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int n = in.read(into, offset, length);
    moved(n);
    return n;
  }

  @Override
  public long skip(long bytes) throws IOException {
    long n = in.skip(bytes);
    moved(n);
    return n;
  }

  private void moved(long bytes) throws IOException {
    long now = System.nanoTime();
    received += Math.max(bytes, 0);
    if (received >= PresignedObjectClient.PIECE) {
      received = 0;
      began = now;
    } else if (bytes > 0 && now - began > limit.toNanos()) {
      throw new IOException(
          "GET %s: only %d bytes were received in %d ms"
              .formatted(path, received, limit.toMillis()));
    }
  }
}
