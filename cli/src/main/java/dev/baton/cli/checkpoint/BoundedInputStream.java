/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Limits how many bytes of untrusted input are read: a read fails once more bytes were read than
 * the latest limit allows. Sizes announced by a tar header are read into memory before they can be
 * checked, hence the bound.
 */
final class BoundedInputStream extends FilterInputStream {
  private long left;

  BoundedInputStream(InputStream in) {
    super(in);
  }

  void allow(long bytes) {
    left = bytes;
  }

  @Override
  public int read() throws IOException {
    int one = super.read();
    spend(one < 0 ? 0 : 1);
    return one;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int n = super.read(buffer, offset, length);
    spend(Math.max(n, 0));
    return n;
  }

  @Override
  public long skip(long count) throws IOException {
    long n = super.skip(count);
    spend(n);
    return n;
  }

  private void spend(long count) throws IOException {
    left -= count;
    if (left < 0) {
      throw new IOException("the archive has a header that is larger than allowed");
    }
  }
}
