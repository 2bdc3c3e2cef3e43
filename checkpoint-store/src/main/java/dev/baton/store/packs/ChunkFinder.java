/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the packs that hold given chunks. A run sees its own packs and the verified ones of its
 * project: an unverified pack of another run may not contain the chunks that were registered for
 * it. Chunks of a large registration are not found until its packs are verified. Thread-safe.
 */
@ApplicationScoped
public class ChunkFinder {
  /** Maximum chunks in a request. */
  public static final int MOST = 10_000;

  // A subquery for each chunk instead of a join, for which Postgres would plan to read all chunks
  // of the project. A returned pack is touched, so that it is kept for the grace period; one
  // touched within the last minute is not, since the shortest grace period is two minutes. The row
  // lock excludes packs that are being doomed.
  static final String FIND =
      """
      WITH wanted AS MATERIALIZED (
        SELECT n, substring($1::bytea FROM n * 32 + 1 FOR 32) AS digest
        FROM generate_series(0, octet_length($1::bytea) / 32 - 1) AS n),
      found AS MATERIALIZED (
        SELECT wanted.n, (
          SELECT min(p.id) FROM store.chunk c JOIN store.pack p ON p.id = c.pack
          WHERE c.project = $2 AND c.digest = wanted.digest AND p.state = 1
            AND p.problem IS NULL AND p.suspect_at IS NULL AND (p.run = $3 OR p.verified_at IS NOT NULL)) AS pack
        FROM wanted),
      places AS MATERIALIZED (
        SELECT pack, array_agg(n) AS numbers FROM found
        WHERE pack IS NOT NULL GROUP BY pack),
      due AS MATERIALIZED (
        SELECT p.id FROM store.pack p WHERE p.id = ANY(ARRAY(SELECT pack FROM places))
          AND p.state = 1 AND p.touched_at < now() - interval '1 minute'
        ORDER BY p.id FOR NO KEY UPDATE),
      touched AS (
        UPDATE store.pack p SET touched_at = now() FROM due WHERE p.id = due.id RETURNING p.id)
      SELECT p.digest, p.size_bytes, p.index_bytes, places.numbers
      FROM places JOIN store.pack p ON p.id = places.pack
      WHERE p.touched_at >= now() - interval '1 minute' OR p.id IN (SELECT id FROM touched)""";

  private static final String ANY =
      """
      SELECT FROM store.pack WHERE project = $1 AND state = 1 AND problem IS NULL
        AND suspect_at IS NULL AND (run = $2 OR verified_at IS NOT NULL) LIMIT 1""";

  /** A pack that holds requested chunks. */
  public record FoundPack(Hash digest, long sizeBytes, int indexBytes) {}

  /**
   * @param places for each requested digest: 0 if it is absent, n if it is in the n-th pack
   * @param nothing whether a query for any digest would find nothing
   */
  public record Found(List<FoundPack> packs, int[] places, boolean nothing) {}

  private final Pool pool;
  private final ProjectRepository projects;

  ChunkFinder(Pool pool, ProjectRepository projects) {
    this.pool = pool;
    this.projects = projects;
  }

  /**
   * @param digests 32 bytes each
   */
  public Uni<Found> find(String run, String project, byte[] digests) {
    if (digests.length % Hash.BYTES != 0 || digests.length > MOST * Hash.BYTES) {
      return Uni.createFrom()
          .failure(
              StoreRequestException.invalid(
                  "digests has %d bytes, allowed are 32 for each of at most %d"
                      .formatted(digests.length, MOST)));
    }
    int count = digests.length / Hash.BYTES;
    return count == 0
        ? Uni.createFrom().item(new Found(List.of(), new int[0], false))
        : projects
            .number(project)
            .chain(
                number ->
                    pool.preparedQuery(FIND)
                        .execute(Tuple.of(Buffer.buffer(digests), number, run))
                        .chain(
                            rows ->
                                rows.size() > 0
                                    ? Uni.createFrom().item(found(rows, count))
                                    : absent(number, run, count)));
  }

  /**
   * Reports whether the run can see any pack at all, so that the first capture of a project can
   * skip its further queries.
   */
  private Uni<Found> absent(int project, String run, int count) {
    return pool.preparedQuery(ANY)
        .execute(Tuple.of(project, run))
        .map(any -> new Found(List.of(), new int[count], any.size() == 0));
  }

  private static Found found(RowSet<Row> rows, int count) {
    List<FoundPack> packs = new ArrayList<>();
    int[] places = new int[count];
    for (Row row : rows) {
      packs.add(
          new FoundPack(
              Hash.read(row.get(Buffer.class, 0).getBytes(), 0),
              row.getLong(1),
              row.getInteger(2)));
      for (Integer n : row.getArrayOfIntegers(3)) {
        places[n] = packs.size();
      }
    }
    return new Found(packs, places, false);
  }
}
