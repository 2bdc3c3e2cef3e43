/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Set;

/** Reads the chunks of one checkpoint, many at a time. */
interface ChunkBatchSource {
  /** Receives a chunk's bytes. May read further chunks. */
  interface Sink {
    void accept(Hash chunk, byte[] bytes) throws IOException;
  }

  /**
   * Passes each of the chunks to the sink, in any order.
   *
   * @throws SnapshotException if a chunk is missing or does not match its hash
   */
  void read(Set<Hash> chunks, Sink sink) throws IOException;

  /**
   * @throws SnapshotException if one of the chunks is missing
   */
  void require(Set<Hash> chunks) throws SnapshotException;
}
