/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import dev.baton.server.PeriodicTask;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.packs.PackRow;
import dev.baton.store.scheduling.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Deletes packs that no checkpoint refers to and that were not promised to a runner within the
 * grace period. Safe to run on any number of replicas at once.
 */
@ApplicationScoped
public class PackGarbageCollector {
  private static final Logger LOG = Logger.getLogger(PackGarbageCollector.class);

  /** An upload starts within the validity of its URL and may last as long again. */
  private static final int LIVES = 2;

  /** What one pass deleted, or would delete. */
  public record Report(
      long doomed, long deletedPacks, long deletedBytes, long orphanObjects, long orphanBytes) {
    static final Report NOTHING = new Report(0, 0, 0, 0, 0);

    Report and(Report other) {
      return new Report(
          doomed + other.doomed,
          deletedPacks + other.deletedPacks,
          deletedBytes + other.deletedBytes,
          orphanObjects + other.orphanObjects,
          orphanBytes + other.orphanBytes);
    }
  }

  private final Pool pool;
  private final BucketClient bucket;
  private final OrphanPackCollector orphans;
  private final StoreConfig.Gc config;
  private final Duration urlLife;
  private final Counter packs;
  private final Counter bytes;
  private @Nullable PeriodicTask loop;

  PackGarbageCollector(
      Pool pool,
      BucketClient bucket,
      OrphanPackCollector orphans,
      StoreConfig config,
      MeterRegistry registry) {
    this.pool = pool;
    this.bucket = bucket;
    this.orphans = orphans;
    this.config = config.gc();
    urlLife = config.objectStore().urlLife();
    packs = registry.counter("baton.store.gc.packs");
    bytes = registry.counter("baton.store.gc.bytes");
  }

  void onStart(@Observes StartupEvent event) {
    if (config.grace().compareTo(urlLife.multipliedBy(LIVES)) < 0) {
      throw new IllegalStateException(
          "baton.gc.grace is %s: it must be at least twice baton.object-store.url-life (%s), or packs could be deleted while they are uploaded"
              .formatted(config.grace(), urlLife));
    }
    if (config.enabled()) {
      loop = PeriodicTask.start("gc", config.interval(), () -> run(false));
    }
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  /** Runs one pass. Blocks. */
  public Report run(boolean dryRun) {
    return run(config.grace(), dryRun);
  }

  Report run(Duration grace, boolean dryRun) {
    Report report = dryRun ? wouldDo(grace) : sweep(grace);
    report = report.and(orphans.run(grace, dryRun));
    if (report.deletedPacks() > 0 || report.orphanObjects() > 0) {
      LOG.infof(
          "%s %d unreferenced packs (%d bytes) and %d objects without a row (%d bytes)",
          dryRun ? "would delete" : "deleted",
          report.deletedPacks(),
          report.deletedBytes(),
          report.orphanObjects(),
          report.orphanBytes());
    }
    return report;
  }

  private Report wouldDo(Duration grace) {
    int found = Await.get(PackDeletion.candidates(pool, grace, Integer.MAX_VALUE)).size();
    return new Report(found, 0, 0, 0, 0);
  }

  private Report sweep(Duration grace) {
    Await.get(pool.query(PackDeletion.FORGET).execute());
    Report report = delete(PackDeletion.rows(Await.get(pool.query(PackDeletion.LEFT).execute())));
    while (true) {
      List<Long> candidates = Await.get(PackDeletion.candidates(pool, grace, PackDeletion.BATCH));
      List<Long> doomed =
          candidates.isEmpty()
              ? List.of()
              : Await.get(pool.withTransaction(tx -> PackDeletion.doom(tx, grace, candidates)));
      if (doomed.isEmpty()) {
        return report; // the others are in use; the next pass checks them again
      }
      report = report.and(new Report(doomed.size(), 0, 0, 0, 0)).and(delete(doomedRows(doomed)));
    }
  }

  /**
   * Dooms unreferenced packs at once, even if they were promised to a runner, and deletes them.
   * Blocks.
   */
  public Report now(List<Long> unwanted) {
    if (unwanted.isEmpty()) {
      return Report.NOTHING;
    }
    List<Long> doomed =
        Await.get(pool.withTransaction(tx -> PackDeletion.doom(tx, Duration.ZERO, unwanted)));
    return new Report(doomed.size(), 0, 0, 0, 0).and(delete(doomedRows(doomed)));
  }

  private List<PackRow> doomedRows(List<Long> ids) {
    return PackDeletion.rows(
        Await.get(
            pool.preparedQuery(PackDeletion.ROWS)
                .execute(Tuple.tuple().addValue(ids.toArray(Long[]::new)))));
  }

  /**
   * Deletes the object before the row: a pack without a row could be uploaded again at any moment.
   * It then has another key, so a deletion that arrives late, or from another replica, misses it.
   */
  private Report delete(List<PackRow> doomed) {
    Report report = Report.NOTHING;
    for (PackRow pack : doomed) {
      try {
        Await.get(bucket.remove(pack.key()));
        Await.get(PackDeletion.deleteRow(pool, pack.id()));
        report = report.and(new Report(0, 1, pack.sizeBytes(), 0, 0));
        packs.increment();
        bytes.increment(pack.sizeBytes());
      } catch (RuntimeException e) {
        // The object may still be deleted, now or a little later, so the row stays for a while.
        Await.get(pool.preparedQuery(PackDeletion.AGAIN).execute(Tuple.of(pack.id())));
        LOG.warnf(
            "could not delete %s, retrying in a later pass: %s",
            pack.key(), FailureTranslator.words(e));
      }
    }
    return report;
  }
}
