/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.packs.PackRow;
import dev.baton.store.scheduling.Await;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads chunks from the packs of one checkpoint, many at a time, so that each block is read once
 * for all of its chunks. Holds one block and a few indexes in memory. Not thread-safe. Blocks.
 */
final class ChunkReader implements ChunkBatchSource, AutoCloseable {
  private static final int INDEXES = 8;

  static final String PACKS =
      "SELECT "
          + PackRow.COLUMNS
          + """

      FROM store.checkpoint_pack r JOIN store.pack p ON p.id = r.pack
      JOIN store.project j ON j.id = p.project WHERE r.checkpoint = $1""";

  static final String LOCATE =
      """
      WITH requested AS MATERIALIZED (
        SELECT n, substring($2::bytea FROM n * 32 + 1 FOR 32) AS digest
        FROM generate_series(0, octet_length($2::bytea) / 32 - 1) AS n)
      SELECT n, pack FROM (
        SELECT requested.n, (
          SELECT min(c.pack) FROM store.chunk c
          WHERE c.project = $1 AND c.digest = requested.digest
            AND EXISTS (
              SELECT FROM store.checkpoint_pack r
              WHERE r.pack = c.pack AND r.checkpoint = $3)) AS pack
        FROM requested) AS located
      WHERE pack IS NOT NULL""";

  private final Pool pool;
  private final BucketClient bucket;
  private final long checkpoint;
  private final Map<Long, PackRow> packs = new TreeMap<>();
  private final BlockReader blocks = new BlockReader();
  private final Map<Long, PackIndex> indexes =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, PackIndex> eldest) {
          return size() > INDEXES;
        }
      };

  private long blockPack = -1;
  private int blockNumber = -1;
  private byte[] block = new byte[0];

  /**
   * @param checkpoint its number
   */
  ChunkReader(Pool pool, BucketClient bucket, long checkpoint) {
    this.pool = pool;
    this.bucket = bucket;
    this.checkpoint = checkpoint;
    for (Row row : Await.get(pool.preparedQuery(PACKS).execute(Tuple.of(checkpoint)))) {
      PackRow pack = PackRow.of(row);
      packs.put(pack.id(), pack);
    }
  }

  List<PackRow> packs() {
    return List.copyOf(packs.values());
  }

  /**
   * Passes each of the chunks to the sink, in the order in which they are stored.
   *
   * @throws SnapshotException if a chunk is in none of the packs, or does not match its hash
   */
  @Override
  public void read(Set<Hash> chunks, Sink sink) throws IOException {
    for (var each : locate(chunks).entrySet()) {
      PackRow pack = packs.get(each.getKey());
      if (pack != null) {
        read(pack, each.getValue(), sink);
      }
    }
  }

  /**
   * @throws SnapshotException if one of the chunks is in none of the packs
   */
  @Override
  public void require(Set<Hash> chunks) throws SnapshotException {
    locate(chunks);
  }

  private Map<Long, Set<Hash>> locate(Set<Hash> chunks) throws SnapshotException {
    Map<Long, Set<Hash>> byPack = new TreeMap<>();
    if (chunks.isEmpty() || packs.isEmpty()) {
      requireNone(chunks);
      return byPack;
    }
    List<Hash> requested = new ArrayList<>(chunks);
    byte[] digests = Hash.concat(requested);
    int project = packs.values().iterator().next().projectNumber();
    Set<Hash> missing = new HashSet<>(chunks);
    for (Row row :
        Await.get(
            pool.preparedQuery(LOCATE)
                .execute(Tuple.of(project, Buffer.buffer(digests), checkpoint)))) {
      Hash chunk = requested.get(row.getInteger(0));
      missing.remove(chunk);
      byPack.computeIfAbsent(row.getLong(1), id -> new HashSet<>()).add(chunk);
    }
    requireNone(missing);
    return byPack;
  }

  private static void requireNone(Set<Hash> missing) throws SnapshotException {
    if (!missing.isEmpty()) {
      throw new SnapshotException.MissingChunk(
          "chunk %s%s is in none of the checkpoint's packs"
              .formatted(
                  missing.iterator().next(),
                  missing.size() == 1 ? "" : " (one of " + missing.size() + ")"));
    }
  }

  private void read(PackRow pack, Set<Hash> wanted, Sink sink) throws IOException {
    PackIndex index = indexes.get(pack.id());
    if (index == null) {
      index = PackFileReader.index(bucket, pack.key(), pack.sizeBytes());
      indexes.put(pack.id(), index);
    }
    for (int i = 0; i < index.chunkCount() && !wanted.isEmpty(); i++) {
      Hash chunk = index.hash(i);
      if (wanted.remove(chunk)) {
        byte[] raw = block(pack, index, index.block(i));
        int start = index.offset(i);
        BlockReader.check(chunk, raw, start, index.length(i));
        sink.accept(chunk, Arrays.copyOfRange(raw, start, start + index.length(i)));
      }
    }
    requireNone(wanted);
  }

  private byte[] block(PackRow pack, PackIndex index, int number) throws IOException {
    if (blockPack != pack.id() || blockNumber != number) {
      block = PackFileReader.block(bucket, pack.key(), index.blocks().get(number), blocks);
      blockPack = pack.id();
      blockNumber = number;
    }
    return block;
  }

  @Override
  public void close() {
    blocks.close();
  }
}
