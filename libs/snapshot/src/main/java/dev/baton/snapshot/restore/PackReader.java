/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.BlockSpan;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads blocks of packs with loaded indexes. A small pack is fetched with its index in one request
 * and cached. Thread-safe.
 */
final class PackReader {
  /** Maximum size in bytes of a pack that is fetched completely. */
  static final int SMALL = 1 << 20;

  /** Maximum number of bytes of cached packs. */
  private static final long MAX_KEPT = 64 << 20;

  private static final int AT_ONCE = 8;

  private final PackSource source;
  private final ChunkTable table = new ChunkTable();
  private final Map<PackRef, byte[]> kept = new HashMap<>();

  private PackReader(PackSource source) {
    this.source = source;
  }

  /** Reads the indexes of all these packs, several concurrently. */
  static PackReader open(List<PackRef> packs, PackSource source)
      throws IOException, InterruptedException {
    PackReader reader = new PackReader(source);
    try (ExecutorService fetchers =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("baton-index-", 0).factory())) {
      try {
        reader.fetch(packs, fetchers);
      } catch (IOException | InterruptedException | RuntimeException e) {
        fetchers.shutdownNow();
        throw e;
      }
    }
    return reader;
  }

  private record Fetched(PackRef pack, PackIndex index, byte[] bytes) {}

  private void fetch(List<PackRef> packs, ExecutorService fetchers)
      throws IOException, InterruptedException {
    Deque<Future<Fetched>> ahead = new ArrayDeque<>();
    long planned = 0;
    for (PackRef pack : packs) {
      boolean whole = pack.size() <= SMALL && planned + pack.size() <= MAX_KEPT;
      planned += whole ? pack.size() : 0;
      if (ahead.size() == AT_ONCE) {
        add(ahead.remove());
      }
      ahead.add(fetchers.submit(() -> fetch(pack, whole)));
    }
    while (!ahead.isEmpty()) {
      add(ahead.remove());
    }
  }

  private Fetched fetch(PackRef pack, boolean whole) throws IOException, InterruptedException {
    long from = whole ? 0 : pack.size() - pack.indexBytes();
    byte[] bytes = new byte[(int) (pack.size() - from)];
    source.read(pack, from, bytes, bytes.length);
    return new Fetched(pack, PackIndex.decode(pack, bytes), bytes);
  }

  private void add(Future<Fetched> future) throws IOException, InterruptedException {
    Fetched fetched;
    try {
      fetched = future.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IOException("an index cannot be read: " + e, e);
      }
    }
    table.addAll(fetched.pack, fetched.index);
    if (fetched.bytes.length == fetched.pack.size()) {
      kept.put(fetched.pack, fetched.bytes);
    }
  }

  /** Returns the location of all chunks; must not be changed. */
  ChunkTable table() {
    return table;
  }

  /** Returns the number of the chunk's entry in the table. */
  int find(Hash chunk) throws SnapshotException {
    int entry = table.find(chunk);
    if (entry == ChunkTable.ABSENT) {
      throw new SnapshotException.MissingChunk(
          "chunk %s is in none of the %d packs".formatted(chunk, table.packs().size()));
    }
    return entry;
  }

  /**
   * @throws SnapshotException.Corrupt if the length of the chunk differs from that of its extent
   */
  static void requireLength(Hash chunk, int length, int size) throws SnapshotException {
    if (length != size) {
      throw new SnapshotException.Corrupt(
          "chunk %s has %d bytes, its extent has %d".formatted(chunk, length, size));
    }
  }

  BlockSpan span(int pack, int block) {
    return table.blocks(pack).get(block);
  }

  /**
   * Copies bytes of a pack to the start of {@code into}; fetches them unless the pack is cached.
   */
  void read(int pack, int offset, byte[] into, int length)
      throws IOException, InterruptedException {
    PackRef ref = table.packs().get(pack);
    byte[] whole = kept.get(ref);
    if (whole == null) {
      source.read(ref, offset, into, length);
    } else {
      System.arraycopy(whole, offset, into, 0, length);
    }
  }
}
