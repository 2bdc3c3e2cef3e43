/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.io.IOException;

/** Reads chunks and verifies their hash. */
@FunctionalInterface
public interface ChunkSource {
  /**
   * Returns all bytes of a chunk.
   *
   * @throws dev.baton.snapshot.SnapshotException.MissingChunk if the chunk does not exist
   */
  byte[] read(Hash chunk) throws IOException, InterruptedException;
}
