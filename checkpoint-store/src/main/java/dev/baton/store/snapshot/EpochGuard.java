/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.lease.CallerLeaseGuard;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/** Checks that a caller's epoch still holds the run, according to the stored log. Thread-safe. */
@ApplicationScoped
public class EpochGuard {
  static final String NEWEST =
      """
      SELECT max((convert_from(data, 'UTF8')::json ->> 'epoch')::integer) FROM store.event
      WHERE run = $1 AND lane = 0 AND type = 'dev.baton.runner_assigned'""";

  private final Pool pool;
  private final CallerLeaseGuard leases;

  EpochGuard(Pool pool, CallerLeaseGuard leases) {
    this.pool = pool;
    this.leases = leases;
  }

  /**
   * Checks a writer. Fails with FENCED if a newer epoch was assigned or the lease is not valid for
   * the epoch. If leases are required, every writer needs one.
   */
  public Uni<Void> requireWriter(String run, int epoch, String project, String lease) {
    if (epoch == 0 && leases.areRequired()) {
      throw StoreRequestException.fenced(
          "run %s: lease refused (missing): no epoch, and leases are required here".formatted(run));
    }
    return requireReader(run, epoch, project, lease);
  }

  /**
   * Checks a runner that writes its epoch's log. A fenced runner may still complete its log, since
   * it can add only lines of its own epoch. Fails with FENCED if the lease is not valid for the
   * epoch.
   */
  public Uni<Void> requireLogWriter(String run, int epoch, String project, String lease) {
    if (epoch == 0 && leases.areRequired()) {
      throw StoreRequestException.fenced(
          "run %s: lease refused (missing): no epoch, and leases are required here".formatted(run));
    }
    return leases.require(lease, run, epoch, project);
  }

  /** Checks a reader like {@link #requireWriter}, but services need no lease. */
  public Uni<Void> requireReader(String run, int epoch, @Nullable String project, String lease) {
    return leases.require(lease, run, epoch, project).chain(() -> require(run, epoch));
  }

  /**
   * Fails with FENCED if a newer epoch was assigned. Accepts an epoch that is not stored yet.
   *
   * @param epoch of the calling runner; 0 for any other caller
   */
  private Uni<Void> require(String run, int epoch) {
    if (epoch == 0) {
      return Uni.createFrom().voidItem();
    }
    return pool.preparedQuery(NEWEST)
        .execute(Tuple.of(run))
        .invoke(
            rows -> {
              Integer newest = rows.iterator().next().getInteger(0);
              if (newest != null && newest > epoch) {
                throw StoreRequestException.fenced(
                    "epoch %d of run %s is fenced: epoch %d was assigned"
                        .formatted(epoch, run, newest));
              }
            })
        .replaceWithVoid();
  }
}
