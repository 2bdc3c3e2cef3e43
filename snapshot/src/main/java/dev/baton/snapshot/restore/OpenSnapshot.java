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
import dev.baton.snapshot.format.Entry;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentList;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeReader;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A snapshot to be looked into without restoring it: the indexes of its packs have been read,
 * blocks are fetched as they are needed, the last ones kept (32 MiB). Thread-safe: one reads at a
 * time.
 */
public final class OpenSnapshot implements ChunkSource, AutoCloseable {
  private static final byte[] ZEROS = new byte[64 << 10];

  private final Entry.Directory root;
  private final NodeChunks chunks;

  private OpenSnapshot(Entry.Directory root, NodeChunks chunks) {
    this.root = root;
    this.chunks = chunks;
  }

  /**
   * @throws dev.baton.snapshot.SnapshotException if the indexes or the root are damaged
   */
  public static OpenSnapshot open(Snapshot snapshot, PackSource source)
      throws IOException, InterruptedException {
    NodeChunks chunks = new NodeChunks(PackReader.open(snapshot.packs(), source));
    try {
      return new OpenSnapshot(new NodeReader(chunks).root(snapshot.root()), chunks);
    } catch (IOException | InterruptedException | RuntimeException e) {
      chunks.close();
      throw e;
    }
  }

  /** The root; its name is empty. */
  public Entry.Directory root() {
    return root;
  }

  /** A chunk, its hash checked. */
  @Override
  public byte[] read(Hash chunk) throws IOException, InterruptedException {
    return chunks.read(chunk);
  }

  /** Writes all bytes of a file, holes as zeros. */
  public void copy(Entry.File file, OutputStream out) throws IOException, InterruptedException {
    for (Extent extent : ExtentList.of(file, chunks)) {
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
