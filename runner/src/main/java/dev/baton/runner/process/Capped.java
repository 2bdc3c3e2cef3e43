/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.io.ByteArrayOutputStream;

/**
 * Keeps a stream's bytes up to a limit, and knows when there were more. For one writer; read after
 * it has ended.
 */
final class Capped {
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
  private final int limit;
  private boolean over;

  /** A limit of 0 keeps nothing and is never over. */
  Capped(int limit) {
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

  boolean isOver() {
    return over;
  }

  byte[] bytes() {
    return kept.toByteArray();
  }
}
