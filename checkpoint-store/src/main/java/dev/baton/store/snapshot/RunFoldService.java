/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.ForkStateBuilder;
import dev.baton.protocol.state.ResumeStateFinder;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.trace.TraceCorrectedEvent;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Folds runs. Folds a fork's origin state from its parent's events when it is first needed, and
 * stores it, so that the parent can be deleted afterwards. Thread-safe.
 */
@ApplicationScoped
public class RunFoldService {
  /** Used instead of a position for a fork that begins with files only. */
  public static final long FILES_ONLY = -1;

  static final String ORIGIN =
      "SELECT state, project, parent, position, step, inside, copies::text FROM store.fork WHERE run = $1";

  // Records the fork's use of the blobs together with the state: from then on the parent may delete
  // its own use. An output that is composed of other blobs lists them only in its own blob; in that
  // case the fork records all blobs of the parent.
  static final String KEEP =
      """
      WITH used AS (
        INSERT INTO store.object_use (run, key)
        SELECT $1, o.key FROM unnest($3::text[]) AS k(key) JOIN store.object o ON o.key = k.key
        UNION
        SELECT $1, u.key FROM store.object_use u WHERE u.run = $4 AND u.key LIKE '%/blobs/%'
        ON CONFLICT DO NOTHING)
      UPDATE store.fork SET state = $2 WHERE run = $1 AND state IS NULL""";

  static final String RESTORABLE =
      "SELECT id FROM store.checkpoint WHERE run = $1 AND NOT deleting AND problem IS NULL";

  private record Origin(
      String project,
      String parent,
      long position,
      @Nullable String step,
      @Nullable Cut inside,
      Map<String, String> copies) {}

  private final StoredEventRepository log;
  private final FoldMemoryBudget room;
  private final FoldedStateCache kept;
  private final Pool pool;

  RunFoldService(
      StoredEventRepository log, FoldMemoryBudget room, FoldedStateCache kept, Pool pool) {
    this.log = log;
    this.room = room;
    this.kept = kept;
    this.pool = pool;
  }

  /**
   * Folds a run. Fails with EXHAUSTED if the state is too large to be folded now.
   *
   * @param upTo the position of the last event to fold; 0 for a fork's origin state
   */
  public Uni<FoldedState> fold(String run, long upTo) {
    return upTo == 0
        ? base(run).map(base -> new FoldedState(Json.read(base, RunState.class), 0))
        : new RunFoldTask(log, room, kept, run, upTo, this::base).fold();
  }

  /**
   * Folds the run up to the last start of a step of its main line. Fails with EXHAUSTED if the
   * state is too large to be folded now.
   *
   * @return empty if the run has never reached the step
   */
  public Uni<Optional<ResumeStateFinder.Found>> before(String run, String step) {
    RunFoldTask fold = new RunFoldTask(log, room, kept, run, Long.MAX_VALUE, this::base, step);
    return fold.fold().map(folded -> fold.point());
  }

  /**
   * Folds the run, then restores the latest earlier state that needs none of these checkpoints, nor
   * one that was deleted or is known to be damaged. Fails with REFUSED {@code checkpoint_gone} if
   * none exists, and with EXHAUSTED if the state is too large to be folded now.
   *
   * @param upTo the position of the last event to fold
   * @param damaged ids; with {@link TraceEvent.RunDegraded#MAX_DAMAGED} of them the search is over:
   *     the state needs no checkpoint at all
   */
  public Uni<ResumeStateFinder.Found> without(String run, long upTo, Set<String> damaged) {
    return pool.preparedQuery(RESTORABLE)
        .execute(Tuple.of(run))
        .map(
            rows -> {
              Set<String> good = new HashSet<>();
              if (damaged.size() < TraceEvent.RunDegraded.MAX_DAMAGED) {
                rows.forEach(row -> good.add(row.getString(0)));
                good.removeAll(damaged);
              }
              return good;
            })
        .chain(
            good -> {
              RunFoldTask search =
                  new RunFoldTask(log, room, kept, run, upTo, this::base)
                      .without(id -> !good.contains(id));
              return search.fold().map(folded -> search.undamaged());
            })
        .map(
            found ->
                found.orElseThrow(
                    () ->
                        StoreRequestException.refused(
                            "checkpoint_gone: run %s has no state that needs none of its damaged checkpoints"
                                .formatted(run))))
        .chain(
            point ->
                new RunFoldTask(log, room, kept, run, upTo, this::base)
                    .restoring(point)
                    .fold()
                    .map(folded -> new ResumeStateFinder.Found(point.after(), folded.run())));
  }

  /**
   * Returns a fork's origin state as JSON. Fails with REFUSED {@code origin_lost} if it is not
   * stored and can no longer be folded.
   */
  public Uni<byte[]> base(String run) {
    return pool.preparedQuery(ORIGIN)
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              if (rows.size() == 0) {
                throw lost(run);
              }
              Row row = rows.iterator().next();
              Buffer kept = row.get(Buffer.class, 0);
              if (kept != null) {
                return Uni.createFrom().item(kept.getBytes());
              }
              Origin origin = origin(row);
              return fold(run, origin).chain(state -> keep(run, origin, state));
            });
  }

  void onCorrected(@Observes TraceCorrectedEvent event) {
    forget(event.run());
  }

  /** Removes a deleted or corrected run from the cache. */
  public void forget(String run) {
    kept.forget(run);
  }

  private Uni<RunState> fold(String run, Origin origin) {
    if (origin.position() == FILES_ONLY) {
      return Uni.createFrom()
          .item(
              () ->
                  ForkStateBuilder.of(RunState.empty(origin.parent()), origin.inside(), null)
                      .state(run, origin.copies()));
    }
    return fold(origin.parent(), origin.position())
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            parent -> {
              if (parent.position() != origin.position()) {
                throw lost(run);
              }
              return ForkStateBuilder.of(parent.run(), origin.inside(), origin.step())
                  .state(run, origin.copies());
            });
  }

  private static StoreRequestException lost(String run) {
    return StoreRequestException.refused(
        "origin_lost: the state that run %s begins with is not stored any more".formatted(run));
  }

  private Uni<byte[]> keep(String run, Origin origin, RunState state) {
    byte[] bytes = Json.bytes(state);
    String whole = hasParts(state) ? origin.parent() : "";
    return pool.preparedQuery(KEEP)
        .execute(Tuple.of(run, Buffer.buffer(bytes), blobs(origin.project(), state), whole))
        .replaceWith(bytes);
  }

  private static Origin origin(Row row) {
    String inside = row.getString(5);
    return new Origin(
        row.getString(1),
        row.getString(2),
        row.getLong(3),
        row.getString(4),
        inside == null ? null : Json.read(inside.getBytes(StandardCharsets.UTF_8), Cut.class),
        copies(row.getString(6)));
  }

  private static Map<String, String> copies(String json) {
    Map<String, String> copies = new HashMap<>();
    Json.tree(json.getBytes(StandardCharsets.UTF_8))
        .properties()
        .forEach(copy -> copies.put(copy.getKey(), copy.getValue().textValue()));
    return copies;
  }

  private static boolean hasParts(RunState state) {
    return state.steps().values().stream()
        .anyMatch(step -> step.output() instanceof Output.Ref ref && ref.parts() != null);
  }

  private static String[] blobs(String project, RunState state) {
    return state.steps().values().stream()
        .map(StepState::output)
        .filter(Output.Ref.class::isInstance)
        .map(output -> ((Output.Ref) output).digest())
        .distinct()
        .map(digest -> new ObjectName(project, ObjectKind.BLOB, digest, 0).key())
        .toArray(String[]::new);
  }
}
