/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.packs.PackRow;
import dev.baton.store.scheduling.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.Startup;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/**
 * Verifies packs, one at a time, and records the result for the pack and for the checkpoints that
 * need it. Thread-safe. Blocks.
 */
@Startup // registers the metrics before they are first counted
@ApplicationScoped
public class PackVerifier {
  private static final Logger LOG = Logger.getLogger(PackVerifier.class);
  private static final long PATIENCE_MINUTES = 10;

  // Replaces the chunk rows that the runner registered by those of the verified index. A pack that
  // became suspect after its row was read is verified again: its object may have been read before
  // the damage.
  static final String RIGHT =
      """
      WITH listed AS MATERIALIZED (
        SELECT substring($2::bytea FROM n * 32 + 1 FOR 32) AS digest
        FROM generate_series(0, octet_length($2::bytea) / 32 - 1) AS n),
      right_one AS (
        UPDATE store.pack SET verified_at = now(), checked_at = NULL, problem = NULL,
          suspect_at = NULL, index_bytes = $3
        WHERE id = $1 AND state = 1 AND (suspect_at IS NULL OR suspect_at < $4::timestamptz)
        RETURNING id, project),
      wrong AS (
        DELETE FROM store.chunk c
        WHERE c.pack = (SELECT id FROM right_one) AND c.digest NOT IN (SELECT digest FROM listed)),
      added AS (
        INSERT INTO store.chunk (project, digest, pack)
        SELECT r.project, listed.digest, r.id FROM right_one r, listed ON CONFLICT DO NOTHING)
      SELECT id FROM right_one""";

  static final String HEALED =
      """
      UPDATE store.checkpoint c SET problem = NULL
      FROM store.checkpoint_pack r
      WHERE r.pack = $1 AND c.number = r.checkpoint AND c.problem IS NOT NULL
        AND NOT EXISTS (
          SELECT FROM store.checkpoint_pack o JOIN store.pack p ON p.id = o.pack
          WHERE o.checkpoint = c.number AND p.problem IS NOT NULL)""";

  private static final String GIVE_BACK = "UPDATE store.pack SET checked_at = NULL WHERE id = $1";

  static final String WRONG =
      "UPDATE store.pack SET problem = $2 WHERE id = $1 AND state = 1 RETURNING id";

  static final String HURT =
      """
      UPDATE store.checkpoint c SET problem = $2, verified_at = NULL
      FROM store.checkpoint_pack r
      WHERE r.pack = $1 AND c.number = r.checkpoint
      RETURNING c.id, c.run""";

  private final Pool pool;
  private final PackChecker check;
  private final Semaphore one = new Semaphore(1, true);
  private final Counter verified;
  private final Counter bytes;
  private final Counter corrupt;

  PackVerifier(Pool pool, BucketClient bucket, MeterRegistry registry) {
    this.pool = pool;
    check = new PackChecker(bucket);
    verified = registry.counter("baton.store.packs.verified");
    bytes = registry.counter("baton.store.verified.bytes");
    corrupt =
        Counter.builder("baton.store.packs.corrupt")
            .description("packs that were found wrong")
            .register(registry);
  }

  /**
   * Reads the pack and records the result.
   *
   * @throws StoreRequestException UNAVAILABLE if the pack cannot be verified now; its reservation
   *     is released
   */
  public Optional<VerificationFinding> judge(PackRow pack) {
    PackChecker.Verdict verdict;
    try {
      verdict = look(pack);
    } catch (StoreRequestException e) {
      Await.get(pool.preparedQuery(GIVE_BACK).execute(Tuple.of(pack.id())));
      throw e;
    }
    bytes.increment(pack.sizeBytes());
    return switch (verdict) {
      case PackChecker.Verdict.Right right -> {
        right(pack, right);
        yield Optional.empty();
      }
      case PackChecker.Verdict.Wrong wrong -> wrong(pack, wrong.what());
    };
  }

  /** Checks one pack at a time: a check holds up to 20 MB in memory. */
  private PackChecker.Verdict look(PackRow pack) {
    try {
      if (!one.tryAcquire(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
        throw StoreRequestException.unavailable("other packs are being verified; retry soon");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreRequestException.unavailable("the store is stopping");
    }
    try {
      return check.check(pack);
    } finally {
      one.release();
    }
  }

  private void right(PackRow pack, PackChecker.Verdict.Right right) {
    Await.get(
        pool.preparedQuery(RIGHT)
            .execute(
                Tuple.of(
                    pack.id(),
                    Buffer.buffer(PackFileReader.hashes(right.index())),
                    right.indexBytes(),
                    pack.readAt())));
    Await.get(pool.preparedQuery(HEALED).execute(Tuple.of(pack.id())));
    verified.increment();
  }

  private Optional<VerificationFinding> wrong(PackRow pack, String what) {
    // A pack that was doomed while it was read is ignored.
    if (Await.get(pool.preparedQuery(WRONG).execute(Tuple.of(pack.id(), what))).size() == 0) {
      return Optional.empty();
    }
    corrupt.increment();
    String problem = "pack %s: %s".formatted(pack.digest(), what);
    RowSet<Row> hurt = Await.get(pool.preparedQuery(HURT).execute(Tuple.of(pack.id(), problem)));
    List<String> checkpoints = new ArrayList<>();
    Set<String> runs = new LinkedHashSet<>();
    for (Row row : hurt) {
      if (checkpoints.size() < VerificationFinding.MOST) {
        checkpoints.add(row.getString(0));
        runs.add(row.getString(1));
      }
    }
    LOG.errorf(
        "%s of project %s is corrupt. It affects %d checkpoints (%s) of the runs %s",
        problem, pack.project(), hurt.size(), checkpoints, runs);
    return Optional.of(
        new VerificationFinding(pack.digest().toString(), what, checkpoints, List.copyOf(runs)));
  }
}
