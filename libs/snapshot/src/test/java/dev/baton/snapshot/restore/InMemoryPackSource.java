/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.ChunkPacker;
import dev.baton.snapshot.format.ChunkSink;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Writes chunks to packs in memory and reads them. */
public final class InMemoryPackSource implements PackSource, ChunkSink {
  private final Map<PackRef, byte[]> packs = new HashMap<>();
  private final Set<Hash> known = new HashSet<>();
  private final ChunkPacker packer = new ChunkPacker(this::keep);
  public final AtomicInteger requests = new AtomicInteger();
  public final AtomicLong bytesRead = new AtomicLong();

  private void keep(Pack pack) {
    packs.put(pack.ref(), Arrays.copyOf(pack.bytes(), pack.length()));
  }

  @Override
  public void accept(Chunk chunk) throws IOException, InterruptedException {
    if (known.add(chunk.hash())) {
      packer.accept(chunk);
    }
  }

  /** Completes the current packs; later chunks go to other packs. */
  public List<PackRef> finish() throws IOException, InterruptedException {
    packer.flush();
    return List.copyOf(packs.keySet());
  }

  public Snapshot snapshot(Hash root, long bytes, long files)
      throws IOException, InterruptedException {
    return new Snapshot(root, finish(), bytes, files);
  }

  /** Returns the original array, so that a test can damage it. */
  public byte[] bytes(PackRef pack) {
    byte[] bytes = packs.get(pack);
    if (bytes == null) {
      throw new IllegalArgumentException("no pack " + pack.id());
    }
    return bytes;
  }

  @Override
  public void read(PackRef pack, long offset, byte[] into, int length) {
    requests.incrementAndGet();
    bytesRead.addAndGet(length);
    System.arraycopy(bytes(pack), (int) offset, into, 0, length);
  }
}
