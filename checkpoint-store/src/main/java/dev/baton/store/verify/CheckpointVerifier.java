/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.server.PeriodicTask;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.checkpoints.CheckpointCommitter;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.packs.PackRow;
import dev.baton.store.scheduling.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Verifies in the background: each pack once after its upload, and each checkpoint once all its
 * packs are correct, by checking that its tree is complete in them. Starts some time after the last
 * commit, so that it does not compete with an upload in progress, which may take minutes.
 */
@ApplicationScoped
public class CheckpointVerifier {
  private static final Logger LOG = Logger.getLogger(CheckpointVerifier.class);

  /**
   * Interval for work that no commit of this replica triggers: work left by another replica, packs
   * that were never committed, and verifications that could not be completed.
   */
  private static final Duration ROUND = Duration.ofMinutes(1);

  private static final int BATCH = 50;

  static final String READY =
      """
      SELECT c.number, c.id, c.run, c.digest, c.problem FROM store.checkpoint c
      WHERE c.verified_at IS NULL AND c.problem IS NULL AND NOT c.deleting AND c.number > $1
        AND NOT EXISTS (
          SELECT FROM store.checkpoint_pack r JOIN store.pack p ON p.id = r.pack
          WHERE r.checkpoint = c.number AND (p.verified_at IS NULL OR p.problem IS NOT NULL))
      ORDER BY c.number LIMIT"""
          + " "
          + BATCH;
  static final String ONE =
      "SELECT number, id, run, digest, problem FROM store.checkpoint WHERE id = $1 AND NOT deleting";
  // A pack that was found wrong during the verification has given the checkpoint a new problem.
  static final String RIGHT =
      """
      UPDATE store.checkpoint SET verified_at = now(), problem = NULL
      WHERE number = $1 AND (problem IS NULL OR problem = $2)""";
  static final String WRONG =
      "UPDATE store.checkpoint SET verified_at = NULL, problem = $2 WHERE number = $1";

  /** A checkpoint to verify, with its problem before that. */
  private record Candidate(
      long number, String id, String run, Hash root, @Nullable String problem) {
    static Candidate of(Row row) {
      return new Candidate(
          row.getLong(0),
          row.getString(1),
          row.getString(2),
          Hash.read(row.get(Buffer.class, 3).getBytes(), 0),
          row.getString(4));
    }
  }

  /**
   * The result of a verification on demand.
   *
   * @param bytes read from the packs
   */
  public record Report(List<VerificationFinding> findings, int packs, long bytes) {}

  private final Pool pool;
  private final BucketClient bucket;
  private final PackVerificationQueue queue;
  private final PackVerifier judge;
  private final Duration delay;
  private final VerifiedNodeCache complete = new VerifiedNodeCache();
  private final Counter verified;
  private final Counter corrupt;
  private @Nullable PeriodicTask loop;

  CheckpointVerifier(
      Pool pool,
      BucketClient bucket,
      PackVerificationQueue queue,
      PackVerifier judge,
      StoreConfig config,
      MeterRegistry registry) {
    this.pool = pool;
    this.bucket = bucket;
    this.queue = queue;
    this.judge = judge;
    delay = config.verify().delay();
    verified = registry.counter("baton.store.checkpoints.verified");
    corrupt = registry.counter("baton.store.checkpoints.corrupt");
  }

  void onStart(@Observes StartupEvent event) {
    loop = PeriodicTask.start("verify", ROUND, this::turn);
    wake();
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  void onCommitted(@Observes CheckpointCommitter.Committed event) {
    wake();
  }

  private void wake() {
    if (loop != null) {
      loop.wakeIn(delay);
    }
  }

  private void turn() {
    for (Optional<PackRow> pack = queue.fresh(); pack.isPresent(); pack = queue.fresh()) {
      judge.judge(pack.get());
      requireRunning();
    }
    long after = 0;
    List<Candidate> ready;
    do {
      ready = ready(after);
      for (Candidate candidate : ready) {
        verify(candidate);
        after = candidate.number();
        requireRunning();
      }
    } while (ready.size() == BATCH);
  }

  private static void requireRunning() {
    if (Thread.currentThread().isInterrupted()) {
      throw StoreRequestException.unavailable("the store is stopping");
    }
  }

  private List<Candidate> ready(long after) {
    List<Candidate> ready = new ArrayList<>();
    for (Row row : Await.get(pool.preparedQuery(READY).execute(Tuple.of(after)))) {
      ready.add(Candidate.of(row));
    }
    return ready;
  }

  /** Verifies the tree; reuses the cached nodes of the run's previous checkpoint. */
  private void verify(Candidate candidate) {
    try {
      walk(candidate);
    } catch (StoreRequestException e) {
      if (e.kind() != StoreRequestException.Kind.NOT_FOUND) {
        throw e;
      }
      verify(candidate.id()); // an object is gone since: verifies the packs
    }
  }

  private void walk(Candidate candidate) {
    try (ChunkReader chunks = new ChunkReader(pool, bucket, candidate.number())) {
      Set<Hash> known = complete.in(candidate.run(), chunks.packs());
      TreeChecker tree = new TreeChecker(chunks, known);
      Optional<String> wrong = tree.check(candidate.root());
      record(candidate, wrong);
      if (wrong.isEmpty()) {
        complete.put(candidate.run(), chunks.packs(), known, tree.seen());
      } else {
        complete.forget(candidate.run());
      }
    }
  }

  /**
   * Reads all packs and the tree now, even if they were verified before. Fails with NOT_FOUND if
   * the checkpoint does not exist. Blocks.
   */
  public Report verify(String id) {
    var rows = Await.get(pool.preparedQuery(ONE).execute(Tuple.of(id)));
    if (rows.size() == 0) {
      throw StoreRequestException.notFound("checkpoint '%s' does not exist".formatted(id));
    }
    Candidate candidate = Candidate.of(rows.iterator().next());
    List<VerificationFinding> findings = new ArrayList<>();
    long bytes = 0;
    try (ChunkReader chunks = new ChunkReader(pool, bucket, candidate.number())) {
      for (PackRow pack : chunks.packs()) {
        judge.judge(pack).ifPresent(findings::add);
        bytes += pack.sizeBytes();
      }
      if (findings.isEmpty()) {
        Optional<String> wrong = new TreeChecker(chunks, Set.of()).check(candidate.root());
        record(candidate, wrong);
        wrong.ifPresent(
            what ->
                findings.add(
                    new VerificationFinding(
                        "", what, List.of(candidate.id()), List.of(candidate.run()))));
        // Other checkpoints may have waited for packs that are correct again.
        wake();
      }
      return new Report(findings, chunks.packs().size(), bytes);
    }
  }

  private void record(Candidate candidate, Optional<String> wrong) {
    if (wrong.isEmpty()) {
      Await.get(
          pool.preparedQuery(RIGHT).execute(Tuple.of(candidate.number(), candidate.problem())));
      verified.increment();
      return;
    }
    Await.get(pool.preparedQuery(WRONG).execute(Tuple.of(candidate.number(), wrong.get())));
    corrupt.increment();
    LOG.errorf(
        "checkpoint %s of run %s is corrupt: %s", candidate.id(), candidate.run(), wrong.get());
  }
}
