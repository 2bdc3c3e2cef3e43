/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.io.IOException;

/** Gives the bytes of chunks, their hash already checked. */
@FunctionalInterface
public interface ChunkSource {
  /**
   * All bytes of a chunk.
   *
   * @throws dev.baton.snapshot.SnapshotException.MissingChunk if there is no such chunk
   */
  byte[] read(Hash chunk) throws IOException, InterruptedException;
}
