/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeReader;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Reads a snapshot without restoring it: loads the indexes of its packs, fetches blocks on demand,
 * and caches the last ones (32 MiB). Thread-safe: one thread reads at a time.
 */
public final class SnapshotReader implements ChunkSource, AutoCloseable {
  private static final byte[] ZEROS = new byte[64 << 10];

  private final NodeEntry.Directory root;
  private final CachingChunkReader chunks;

  private SnapshotReader(NodeEntry.Directory root, CachingChunkReader chunks) {
    this.root = root;
    this.chunks = chunks;
  }

  /**
   * @throws dev.baton.snapshot.SnapshotException if the indexes or the root are damaged
   */
  public static SnapshotReader open(Snapshot snapshot, PackSource source)
      throws IOException, InterruptedException {
    CachingChunkReader chunks = new CachingChunkReader(PackReader.open(snapshot.packs(), source));
    try {
      return new SnapshotReader(new NodeReader(chunks).root(snapshot.root()), chunks);
    } catch (IOException | InterruptedException | RuntimeException e) {
      chunks.close();
      throw e;
    }
  }

  /** Returns the root; its name is empty. */
  public NodeEntry.Directory root() {
    return root;
  }

  /** Returns a chunk after verifying its hash. */
  @Override
  public byte[] read(Hash chunk) throws IOException, InterruptedException {
    return chunks.read(chunk);
  }

  /** Writes all bytes of a file, holes as zeros. */
  public void copy(NodeEntry.File file, OutputStream out) throws IOException, InterruptedException {
    for (Extent extent : ExtentListCodec.of(file, chunks)) {
      switch (extent) {
        case Extent.Data(Hash chunk, int size) -> data(chunk, size, out);
        case Extent.Hole(long length) -> hole(length, out);
      }
    }
  }

  private void data(Hash chunk, int size, OutputStream out)
      throws IOException, InterruptedException {
    byte[] bytes = chunks.read(chunk);
    PackReader.requireLength(chunk, bytes.length, size);
    out.write(bytes);
  }

  private static void hole(long length, OutputStream out) throws IOException {
    for (long left = length; left > 0; left -= ZEROS.length) {
      out.write(ZEROS, 0, (int) Math.min(left, ZEROS.length));
    }
  }

  @Override
  public void close() {
    chunks.close();
  }
}
