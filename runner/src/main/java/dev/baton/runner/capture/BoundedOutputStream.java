/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Collects bytes up to a limit and refuses the write that exceeds it. Not thread-safe. */
final class BoundedOutputStream extends OutputStream {
  private final int most;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private boolean full;

  BoundedOutputStream(int most) {
    this.most = most;
  }

  @Override
  public void write(int b) throws IOException {
    require(1);
    bytes.write(b);
  }

  @Override
  public void write(byte[] from, int offset, int length) throws IOException {
    require(length);
    bytes.write(from, offset, length);
  }

  private void require(int more) throws IOException {
    if (more > most - bytes.size()) {
      full = true;
      throw new IOException("more than " + most + " bytes");
    }
  }

  /** Whether a write was refused. */
  boolean isFull() {
    return full;
  }

  byte[] toByteArray() {
    return bytes.toByteArray();
  }
}
