/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogIndex;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.scheduling.Await;
import io.minio.messages.Item;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Writes and deletes log chunks. A chunk is valid once its row exists; its object is uploaded
 * first. Thread-safe.
 */
@ApplicationScoped
public class LogChunkService {
  /** Maximum size of a chunk's object in bytes. */
  public static final long LARGEST = 32L << 20;

  // A runner that was presumed dead may upload more lines for a chunk than its successor found.
  static final String ADD =
      """
      INSERT INTO store.log_chunk AS old (run, epoch, first_line, lines, project, digest, size_bytes,
        first_micros, last_micros, last, index)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      ON CONFLICT (run, epoch, first_line) DO UPDATE SET
        lines = EXCLUDED.lines, project = EXCLUDED.project, digest = EXCLUDED.digest,
        size_bytes = EXCLUDED.size_bytes, first_micros = EXCLUDED.first_micros,
        last_micros = EXCLUDED.last_micros, last = EXCLUDED.last, index = EXCLUDED.index
      WHERE EXCLUDED.lines > old.lines
        OR (EXCLUDED.lines = old.lines AND EXCLUDED.last AND NOT old.last)""";

  static final String PROJECTS = "SELECT DISTINCT project FROM store.log_chunk WHERE run = $1";
  static final String DELETE = "DELETE FROM store.log_chunk WHERE run = $1";
  static final String THERE =
      "SELECT FROM store.log_chunk WHERE run = $1 AND epoch = $2 AND first_line = $3";

  // Excludes runs that have events: their chunks may be in the middle of an upload.
  static final String UNKNOWN_RUNS =
      """
      SELECT run FROM unnest($1::text[]) AS asked(run)
      WHERE NOT EXISTS (SELECT FROM store.log_chunk c WHERE c.run = asked.run)
        AND NOT EXISTS (SELECT FROM store.event e WHERE e.run = asked.run)""";

  /** The number of deleted objects and their bytes. */
  public record Deleted(long objects, long bytes) {}

  private final Pool pool;
  private final BucketClient bucket;

  LogChunkService(Pool pool, BucketClient bucket) {
    this.pool = pool;
    this.bucket = bucket;
  }

  /** The URL for the PUT of the chunk; requires {@link #putHeaders}. */
  public String putUrl(LogChunkName name) {
    return bucket.putUrl(name.key(), putHeaders(name));
  }

  /** The headers that the PUT must carry. */
  public Map<String, String> putHeaders(LogChunkName name) {
    return BucketClient.checksum(name.digest());
  }

  /**
   * Adds an uploaded chunk to its run's log. Idempotent.
   *
   * @param index parsed from {@code bytes}
   * @return fails with INVALID if the object does not exist with this size
   */
  public Uni<Void> commit(ObjectName object, LogIndex index, byte[] bytes) {
    LogChunkName name =
        LogChunkName.of(
            object.project(), index.run(), index.epoch(), index.firstLine(), object.hash());
    return bucket
        .size(name.key())
        .invoke(
            there -> {
              if (there.isEmpty() || there.getAsLong() != object.sizeBytes()) {
                throw StoreRequestException.invalid(
                    "log chunk %s was registered with %d bytes, but its object %s"
                        .formatted(
                            name.key(),
                            object.sizeBytes(),
                            there.isEmpty() ? "is not there" : "has " + there.getAsLong()));
              }
            })
        .chain(() -> add(name, object.sizeBytes(), index, bytes));
  }

  /**
   * Parses and validates an index.
   *
   * @param size of the object, in bytes
   * @throws StoreRequestException INVALID with the reason
   */
  public static LogIndex index(String run, long size, byte[] bytes) {
    try {
      if (bytes.length > LogIndex.MAX_BYTES) {
        throw new IllegalArgumentException("the index has " + bytes.length + " bytes");
      }
      LogIndex index = Json.read(bytes, LogIndex.class);
      index.check(size);
      if (!run.equals(index.run())) {
        throw new IllegalArgumentException("it is of run " + index.run());
      }
      return index;
    } catch (IllegalArgumentException | UncheckedIOException e) {
      throw StoreRequestException.invalid("log chunk of run %s: %s".formatted(run, e.getMessage()));
    }
  }

  private Uni<Void> add(LogChunkName name, long size, LogIndex index, byte[] bytes) {
    return pool.preparedQuery(ADD)
        .execute(
            Tuple.tuple()
                .addValue(name.run())
                .addValue(name.epoch())
                .addValue(name.firstLine())
                .addValue(index.lines())
                .addValue(name.project())
                .addValue(Buffer.buffer(name.digest()))
                .addValue(size)
                .addValue(index.firstMicros())
                .addValue(index.lastMicros())
                .addValue(index.last())
                .addValue(Buffer.buffer(bytes)))
        .replaceWithVoid();
  }

  /**
   * Deletes the whole log of a run, including chunks that were never committed. Blocks.
   *
   * @param projects that may contain chunks of the run
   */
  public Deleted delete(String run, Collection<String> projects) {
    TreeSet<String> all = new TreeSet<>(projects);
    Await.get(pool.preparedQuery(PROJECTS).execute(Tuple.of(run)))
        .forEach(row -> all.add(row.getString(0)));
    long objects = 0;
    long bytes = 0;
    for (String project : all) {
      for (Item object : bucket.list(LogChunkName.prefix(project, run))) {
        Await.get(bucket.remove(object.objectName()));
        objects++;
        bytes += object.size();
      }
    }
    Await.get(pool.preparedQuery(DELETE).execute(Tuple.of(run)));
    return new Deleted(objects, bytes);
  }

  /** Returns the runs of which this database has no chunk and no event. Blocks. */
  public List<String> unknown(Collection<String> runs) {
    List<String> unknown = new ArrayList<>();
    Await.get(
            pool.preparedQuery(UNKNOWN_RUNS)
                .execute(Tuple.tuple().addValue(runs.toArray(String[]::new))))
        .forEach(row -> unknown.add(row.getString(0)));
    return unknown;
  }

  /**
   * Restores a chunk's row from its object. Blocks.
   *
   * @return whether the row was absent
   * @throws IOException if the object cannot be read or is not a chunk
   */
  public boolean reindex(LogChunkName name, long size) throws IOException {
    if (Await.get(
                pool.preparedQuery(THERE)
                    .execute(Tuple.of(name.run(), name.epoch(), name.firstLine())))
            .size()
        > 0) {
      return false;
    }
    ByteBuffer trailer = ByteBuffer.wrap(read(name, size - LogIndex.TRAILER, LogIndex.TRAILER));
    int length = trailer.getInt();
    if (trailer.getInt() != LogIndex.MAGIC || length < 2 || length > LogIndex.MAX_BYTES) {
      throw new IOException("it does not end as a chunk of a log does");
    }
    byte[] bytes = read(name, size - LogIndex.TRAILER - length, length);
    LogIndex index = index(name.run(), size, bytes);
    if (index.epoch() != name.epoch() || index.firstLine() != name.firstLine()) {
      throw new IOException("it is another chunk");
    }
    Await.get(add(name, size, index, bytes));
    return true;
  }

  private byte[] read(LogChunkName name, long offset, int length) throws IOException {
    if (offset < 0) {
      throw new IOException("it is too short");
    }
    try (InputStream in = bucket.open(name.key(), offset, (long) length)) {
      return in.readNBytes(length);
    }
  }
}
