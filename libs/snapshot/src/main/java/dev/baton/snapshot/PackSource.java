/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;

/** Provides the packs of a restore. Thread-safe; blocks. */
@FunctionalInterface
public interface PackSource {
  /**
   * Copies {@code length} bytes of the pack, starting at {@code offset}, to the start of {@code
   * into}.
   *
   * @throws IOException if not all bytes can be read; the caller must then discard the array,
   *     because a late write to it is possible
   */
  void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException;
}
