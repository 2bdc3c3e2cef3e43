/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Stores chunks in memory. */
final class ChunkMap implements ChunkSink, ChunkSource {
  final Map<Hash, byte[]> chunks = new HashMap<>();

  @Override
  public void accept(Chunk chunk) {
    chunks.put(
        chunk.hash(),
        Arrays.copyOfRange(chunk.bytes(), chunk.offset(), chunk.offset() + chunk.length()));
  }

  Hash put(byte[] bytes) {
    Hash hash = Hash.of(bytes);
    chunks.put(hash, bytes);
    return hash;
  }

  @Override
  public byte[] read(Hash chunk) throws SnapshotException {
    byte[] bytes = chunks.get(chunk);
    if (bytes == null) {
      throw new SnapshotException.MissingChunk("no chunk " + chunk);
    }
    return bytes;
  }
}
