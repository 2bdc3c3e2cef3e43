/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.forks;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.snapshot.CutRepository;
import dev.baton.store.snapshot.RunFoldService;
import dev.baton.store.trace.StoredEventNotifier;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the cuts in a run's log from which a fork can begin. Thread-safe. */
@ApplicationScoped
class ForkPointFinder {
  /** A checkpoint may be visible before its event is stored; bounds the wait for the event. */
  private static final Duration EVENT = Duration.ofSeconds(3);

  // The checkpoint of a milestone appears first in checkpoint_saved, then in the step_completed of
  // its step. A fork after the step is preferred.
  static final String OF_CHECKPOINT =
      """
      SELECT e.position, e.lane, e.seq, e.type, e.source, e.time_micros, e.data
      FROM store.cut c JOIN store.event e USING (run, lane, seq)
      WHERE c.checkpoint = $1 AND c.run = $2
      ORDER BY e.type = 'dev.baton.checkpoint_saved', e.position LIMIT 2""";

  static final String COPIED =
      """
      SELECT o.key, f.parent, c.manifest
      FROM store.fork f CROSS JOIN jsonb_each_text(f.copies) AS o
        JOIN store.checkpoint c ON c.id = o.value
      WHERE f.run = $1 AND o.value = $2""";

  // Newest first, so that JSON is parsed only until the step is found.
  static final String OF_STEP =
      """
      SELECT position, lane, seq, type, source, time_micros, data FROM store.event
      WHERE run = $1 AND lane > 0 AND type = 'dev.baton.step_completed'
        AND convert_from(data, 'UTF8')::json ->> 'step' = $2
      ORDER BY position DESC LIMIT 10""";

  // Cuts of the main line at the end of a step.
  static final String NEWEST =
      """
      SELECT e.position, e.lane, e.seq, e.type, e.source, e.time_micros, e.data
      FROM store.cut c JOIN store.event e USING (run, lane, seq)
      WHERE c.run = $1 AND c.position <= $2 AND e.type = 'dev.baton.step_completed'
        AND strpos(c.step, '/') = 0
      ORDER BY c.position DESC LIMIT 10""";

  // Ends of agent steps whose conversations later steps continue. An output with the same text
  // only leads to a fold of the run.
  static final String CONVERSATIONS =
      """
      SELECT FROM store.cut c JOIN store.event e USING (run, lane, seq)
      WHERE c.run = $1 AND c.position <= $2 AND e.type = 'dev.baton.step_completed'
        AND strpos(convert_from(e.data, 'UTF8'), '"conversation":{"agent"') > 0
      LIMIT 1""";

  private final Pool pool;
  private final CutRepository cuts;
  private final StoredEventNotifier wakeups;

  ForkPointFinder(Pool pool, CutRepository cuts, StoredEventNotifier wakeups) {
    this.pool = pool;
    this.cuts = cuts;
    this.wakeups = wakeups;
  }

  /**
   * Finds the fork point of a checkpoint. Fails with REFUSED {@code no_checkpoint} if a fork cannot
   * begin there.
   */
  Uni<ForkPoint> ofCheckpoint(String run, String checkpoint) {
    return wakeups
        .await(run, EVENT, () -> look(run, checkpoint))
        .map(
            found ->
                found.orElseThrow(
                    () ->
                        StoreRequestException.refused(
                            "no_checkpoint: no event of run %s carries checkpoint %s: a fork can begin only with its files"
                                .formatted(run, checkpoint))));
  }

  private Uni<Optional<ForkPoint>> look(String run, String checkpoint) {
    return pool.preparedQuery(OF_CHECKPOINT)
        .execute(Tuple.of(checkpoint, run))
        .chain(
            rows ->
                rows.size() == 0
                    ? ofCopy(run, checkpoint)
                    : firstThatCounts(run, rows)
                        .map(
                            first ->
                                first.orElseGet(
                                    () -> StoredEventRepository.event(run, rows.iterator().next())))
                        .chain(event -> ofEvent(run, event))
                        .map(Optional::of));
  }

  /**
   * Finds a checkpoint that a fork copied from its parent; no event of the fork carries it. Fails
   * with REFUSED {@code no_checkpoint} for the boundary of an agent: the conversation continues
   * there in the parent alone.
   */
  private Uni<Optional<ForkPoint>> ofCopy(String run, String checkpoint) {
    return pool.preparedQuery(COPIED)
        .execute(Tuple.of(run, checkpoint))
        .map(
            rows ->
                rows.size() == 0
                    ? Optional.empty()
                    : Optional.of(copy(run, checkpoint, rows.iterator().next())));
  }

  private static ForkPoint copy(String run, String checkpoint, Row row) {
    Manifest manifest = ManifestCodec.read(row.get(Buffer.class, 2).getBytes());
    if (manifest.agent() != null && !manifest.trigger().isRequested()) {
      throw StoreRequestException.refused(
          "no_checkpoint: checkpoint %s is a copy of the agent's turn at which run %s began: start the fork from the original, checkpoint %s of run %s, or from a later turn of run %s"
              .formatted(checkpoint, run, row.getString(0), row.getString(1), run));
    }
    return new ForkPoint(run, 0, null, null, false, null);
  }

  /**
   * Returns the point after the newest completion of a step. Fails with NOT_FOUND if there is none.
   *
   * @param step its path
   */
  Uni<ForkPoint> afterStep(String run, String step) {
    return newest(run, OF_STEP, Tuple.of(run, step))
        .map(
            found ->
                found.orElseThrow(
                    () ->
                        StoreRequestException.notFound(
                            "run %s has not completed a step '%s'".formatted(run, step))))
        .chain(event -> ofEvent(run, event));
  }

  /** Returns a point with the files of a checkpoint and nothing else of its run. */
  static ForkPoint filesOf(String run, byte[] manifest) {
    Manifest read = ManifestCodec.read(manifest);
    Manifest.Workspace files = read.workspace();
    Cut cut =
        new Cut(
            files.digest(),
            files.format(),
            files.sizeBytes(),
            0,
            files.fileCount(),
            read.id(),
            files.leftOut() == null ? List.of() : files.leftOut());
    return new ForkPoint(run, RunFoldService.FILES_ONLY, null, cut, true, cut);
  }

  private Uni<ForkPoint> ofEvent(String run, StoredEvent event) {
    TraceEvent typed =
        event
            .typed()
            .orElseThrow(
                () ->
                    StoreRequestException.refused(
                        "no_checkpoint: " + event.id() + " cannot be read"))
            .event();
    return cuts.counts(run, event.id().lane().epoch(), event.position())
        .chain(
            counts -> {
              if (!counts) {
                throw StoreRequestException.refused(
                    "no_checkpoint: %s came after its runner had been replaced"
                        .formatted(event.id()));
              }
              return switch (typed) {
                case TraceEvent.CheckpointSaved saved ->
                    Uni.createFrom()
                        .item(
                            new ForkPoint(
                                run, event.position(), saved.step(), saved.cut(), false, null));
                case TraceEvent.StepCompleted done when isOnMainLine(done.step()) ->
                    afterMainStep(run, event.position(), done);
                case TraceEvent.StepCompleted done ->
                    Uni.createFrom()
                        .item(new ForkPoint(run, event.position(), done.step(), null, false, null));
                case TraceEvent.Runner other -> throw noCut(event);
                case TraceEvent.Control other -> throw noCut(event);
              };
            });
  }

  private Uni<ForkPoint> afterMainStep(String run, long position, TraceEvent.StepCompleted done) {
    Uni<@Nullable Cut> newest =
        done.cut() == null ? newestCut(run, position) : Uni.createFrom().item(done.cut());
    return pool.preparedQuery(CONVERSATIONS)
        .execute(Tuple.of(run, position))
        .chain(
            conversations ->
                newest.map(
                    cut ->
                        // Without a cut of its own the run may have begun with one of its parent.
                        new ForkPoint(
                            run,
                            position,
                            done.step(),
                            null,
                            cut != null && conversations.size() == 0,
                            cut)));
  }

  private static StoreRequestException noCut(StoredEvent event) {
    return StoreRequestException.refused(
        "no_checkpoint: event %s carries not a checkpoint".formatted(event.id()));
  }

  private static boolean isOnMainLine(String step) {
    return StepPath.branchOf(step).equals(StepPath.MAIN);
  }

  /** The newest cut of the main line; null if the run itself has not created one yet. */
  private Uni<@Nullable Cut> newestCut(String run, long position) {
    return newest(run, NEWEST, Tuple.of(run, position))
        .map(
            found ->
                found
                    .flatMap(StoredEvent::typed)
                    .map(record -> ((TraceEvent.StepCompleted) record.event()).cut())
                    .orElse(null));
  }

  /** The first of the selected events that is not fenced. */
  private Uni<Optional<StoredEvent>> newest(String run, String statement, Tuple values) {
    return pool.preparedQuery(statement).execute(values).chain(rows -> firstThatCounts(run, rows));
  }

  private Uni<Optional<StoredEvent>> firstThatCounts(String run, RowSet<Row> rows) {
    return Multi.createFrom()
        .iterable(rows)
        .map(row -> StoredEventRepository.event(run, row))
        .onItem()
        .transformToUniAndConcatenate(
            event ->
                cuts.counts(run, event.id().lane().epoch(), event.position())
                    .map(counts -> counts ? event : null))
        .toUni()
        .map(Optional::ofNullable);
  }
}
