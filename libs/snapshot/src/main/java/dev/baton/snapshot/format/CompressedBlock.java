/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.util.List;

/**
 * Chunks of one kind, compressed to one zstd frame.
 *
 * @param frame contains the frame in its first {@code frameLength} bytes; borrowed from the
 *     compressor until its next block
 * @param lengths of the chunks, in order
 */
public record CompressedBlock(
    Chunk.Kind kind,
    byte[] frame,
    int frameLength,
    int rawLength,
    List<Hash> chunks,
    int[] lengths) {
  public CompressedBlock {
    chunks = List.copyOf(chunks);
  }
}
