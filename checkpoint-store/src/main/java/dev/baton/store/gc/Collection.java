/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import dev.baton.store.background.Loop;
import dev.baton.store.background.Waits;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.Problems;
import dev.baton.store.objects.Bucket;
import dev.baton.store.packs.PackRow;
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
 * Deletes packs that no checkpoint refers to and that nobody was promised within the grace period.
 * Any number of replicas may do it at once.
 */
@ApplicationScoped
public class Collection {
  private static final Logger LOG = Logger.getLogger(Collection.class);

  /** An upload begins within one life of its address and may last as long. */
  private static final int LIVES = 2;

  /** What one pass did, or would do. */
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
  private final Bucket bucket;
  private final Orphans orphans;
  private final StoreConfig.Gc config;
  private final Duration urlLife;
  private final Counter packs;
  private final Counter bytes;
  private @Nullable Loop loop;

  Collection(
      Pool pool, Bucket bucket, Orphans orphans, StoreConfig config, MeterRegistry registry) {
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
      loop = Loop.start("gc", config.interval(), () -> run(false));
    }
  }

  void onStop(@Observes ShutdownEvent event) {
    if (loop != null) {
      loop.close();
    }
  }

  /** One pass. Blocks. */
  public Report run(boolean dryRun) {
    return run(config.grace(), dryRun);
  }

  Report run(Duration grace, boolean dryRun) {
    Report report = dryRun ? wouldDo(grace) : sweep(grace);
    report = report.and(orphans.run(grace, dryRun));
    if (report.deletedPacks() > 0 || report.orphanObjects() > 0) {
      LOG.infof(
          "%s %d packs (%d bytes) that no checkpoint needs, and %d objects (%d bytes) that nothing knows",
          dryRun ? "would delete" : "deleted",
          report.deletedPacks(),
          report.deletedBytes(),
          report.orphanObjects(),
          report.orphanBytes());
    }
    return report;
  }

  private Report wouldDo(Duration grace) {
    int found = Waits.get(Doom.candidates(pool, grace, Integer.MAX_VALUE)).size();
    return new Report(found, 0, 0, 0, 0);
  }

  private Report sweep(Duration grace) {
    Report report = delete(Doom.rows(Waits.get(pool.query(Doom.LEFT).execute())));
    while (true) {
      List<Long> candidates = Waits.get(Doom.candidates(pool, grace, Doom.BATCH));
      List<Long> doomed =
          candidates.isEmpty()
              ? List.of()
              : Waits.get(pool.withTransaction(tx -> Doom.doom(tx, grace, candidates)));
      if (doomed.isEmpty()) {
        return report; // the others are in use: they are looked at again at the next pass
      }
      report = report.and(new Report(doomed.size(), 0, 0, 0, 0)).and(delete(doomedRows(doomed)));
    }
  }

  /**
   * Dooms packs at once, whether they were promised to someone or not, and deletes them. Blocks.
   */
  public Report now(List<Long> unwanted) {
    if (unwanted.isEmpty()) {
      return Report.NOTHING;
    }
    List<Long> doomed =
        Waits.get(pool.withTransaction(tx -> Doom.doom(tx, Duration.ZERO, unwanted)));
    return new Report(doomed.size(), 0, 0, 0, 0).and(delete(doomedRows(doomed)));
  }

  private List<PackRow> doomedRows(List<Long> ids) {
    return Doom.rows(
        Waits.get(
            pool.preparedQuery(Doom.ROWS)
                .execute(Tuple.tuple().addValue(ids.toArray(Long[]::new)))));
  }

  /** The object before the row: what is without a row could be uploaded again at any moment. */
  private Report delete(List<PackRow> doomed) {
    Report report = Report.NOTHING;
    for (PackRow pack : doomed) {
      try {
        Waits.get(bucket.remove(pack.key()));
        Waits.get(Doom.deleteRow(pool, pack.id()));
        report = report.and(new Report(0, 1, pack.sizeBytes(), 0, 0));
        packs.increment();
        bytes.increment(pack.sizeBytes());
      } catch (RuntimeException e) {
        // It may still have been deleted, now or a little later: the row stays for a while.
        Waits.get(pool.preparedQuery(Doom.AGAIN).execute(Tuple.of(pack.id())));
        LOG.warnf("could not delete %s, will try again: %s", pack.key(), Problems.words(e));
      }
    }
    return report;
  }
}
