/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;

/** Where a restore reads packs. Thread-safe; blocks. */
@FunctionalInterface
public interface PackSource {
  /**
   * Puts {@code length} bytes of the pack, from {@code offset} on, at the start of {@code into}.
   *
   * @throws IOException if not all of them can be had; the array must not be used again then, for
   *     some may still come
   */
  void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException;
}
