/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a stream's bytes up to a limit and records whether there were more. For one writer; read
 * after it has ended.
 */
final class CappedBuffer {
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final int limit;
  private boolean over;
  private volatile @Nullable Throwable loss;

  /** A limit of 0 keeps nothing and is never exceeded. */
  CappedBuffer(int limit) {
    this.limit = limit;
  }

  void write(byte[] chunk, int count) {
    if (limit == 0) {
      return;
    }
    int room = limit - kept.size();
    over |= count > room;
    kept.write(chunk, 0, Math.min(count, room));
  }

  /** Records that the rest of the stream could not be kept. */
  void lost(Throwable why) {
    loss = why;
  }

  /** Throws the error that prevented the stream from being read to its end. */
  void check() {
    switch (loss) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable other -> throw new IllegalStateException(other);
    }
  }

  boolean isOver() {
    return over;
  }

  byte[] bytes() {
    return kept.toByteArray();
  }
}
