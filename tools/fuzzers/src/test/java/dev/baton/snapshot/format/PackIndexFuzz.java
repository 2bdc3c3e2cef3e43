/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;

/**
 * Jazzer target: any input is decoded as an index or rejected; all locations are inside the pack.
 * Decodes the input as an index alone, since a fuzzer cannot guess the hash in the trailer, and as
 * a whole tail.
 */
public final class PackIndexFuzz {
  private PackIndexFuzz() {}

  public static void fuzzerTestOneInput(byte[] data) {
    ByteWriter tail = new ByteWriter(data.length + 64).put(data, 0, data.length);
    tail.hash(Hash.of(data)).u32le(data.length).u32le(1).ascii("BPKX");
    int blocks = data.length > 3 ? (data[1] & 0x7f) + (data[2] & 0x7f) * 128 : 100;
    try {
      int length = tail.length();
      check(PackIndex.decode(4L + blocks + length, length, tail.array(), 0, length), blocks);
    } catch (SnapshotException refused) {
      // expected for invalid input
    }
    try {
      PackIndex.identify(data, data.length);
    } catch (SnapshotException refused) {
      // expected for invalid input
    }
  }

  private static void check(PackIndex index, int blocksLength) {
    for (BlockSpan span : index.blocks()) {
      require(span.offset() >= 4 && span.offset() + span.compressedLength() <= 4 + blocksLength);
    }
    for (int i = 0; i < index.chunkCount(); i++) {
      BlockSpan span = index.blocks().get(index.block(i));
      require(index.offset(i) >= 0 && index.length(i) > 0);
      require(index.offset(i) + index.length(i) <= span.rawLength());
    }
  }

  private static void require(boolean inside) {
    if (!inside) {
      throw new AssertionError("a location outside of its pack or block");
    }
  }
}
