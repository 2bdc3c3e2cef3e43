/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.state.ForkStateBuilder;
import dev.baton.protocol.state.ResumeStateFinder;
import dev.baton.protocol.state.RunState;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds states that a run can resume from, and checks that their files still exist. Thread-safe.
 */
@ApplicationScoped
public class ResumePointFinder {
  static final String KEPT =
      "SELECT id FROM store.checkpoint WHERE id = ANY($1::text[]) AND NOT deleting";

  private final RunFoldService folds;
  private final RunSnapshotService snapshots;
  private final Pool pool;

  ResumePointFinder(RunFoldService folds, RunSnapshotService snapshots, Pool pool) {
    this.folds = folds;
    this.snapshots = snapshots;
    this.pool = pool;
  }

  /**
   * Returns the state before the last start of the step. Fails with NOT_FOUND if the run has never
   * reached the step, and with REFUSED {@code checkpoint_gone} if the files of that state have been
   * deleted.
   *
   * @param step of the main line
   */
  public Uni<ResumeStateFinder.Found> before(String run, String step) {
    return folds
        .before(run, step)
        .map(
            found ->
                found.orElseThrow(
                    () ->
                        StoreRequestException.notFound(
                            "run %s itself has not come to a step '%s' of its main line"
                                .formatted(run, step))))
        .call(
            found ->
                requireFiles(
                    found.state(), "before step '%s' of run %s".formatted(step, run), "deleted"));
  }

  /**
   * Succeeds if the files exist with which the run would resume now. Fails with NOT_FOUND if it has
   * no events, and with REFUSED {@code checkpoint_gone} if some of the files are missing.
   */
  public Uni<Void> requireFiles(String run) {
    return snapshots
        .now(run)
        .chain(
            folded ->
                requireFiles(
                    folded.run(),
                    "with which run %s would resume".formatted(run),
                    "deleted, or left out of the archive that the run came from"));
  }

  private Uni<Void> requireFiles(RunState state, String which, String why) {
    Set<String> gone = new TreeSet<>(ForkStateBuilder.of(state, null, null).checkpoints());
    if (gone.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return pool.preparedQuery(KEPT)
        .execute(Tuple.tuple().addValue(gone.toArray(String[]::new)))
        .invoke(
            rows -> {
              rows.forEach(row -> gone.remove(row.getString(0)));
              if (!gone.isEmpty()) {
                throw StoreRequestException.refused(
                    "checkpoint_gone: the files %s have been %s: %s"
                        .formatted(which, why, String.join(", ", gone)));
              }
            })
        .replaceWithVoid();
  }
}
