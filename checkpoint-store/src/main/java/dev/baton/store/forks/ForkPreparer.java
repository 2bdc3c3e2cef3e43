/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.forks;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.state.ForkStateBuilder;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.checkpoints.CheckpointCommitter;
import dev.baton.store.checkpoints.CheckpointReader;
import dev.baton.store.checkpoints.ManifestObjectWriter;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.ProjectRepository;
import dev.baton.store.scheduling.Await;
import dev.baton.store.snapshot.RunFoldService;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Prepares runs that begin with a cut of another run. A fork gets checkpoints of its own that refer
 * to the same packs: it holds nothing of its parent, and the parent does not change. If the cut is
 * between two steps of the main line, the cost does not depend on the length of the parent's log.
 * Thread-safe.
 */
@ApplicationScoped
public class ForkPreparer {
  static final String KNOWN =
      "SELECT parent, position, step, checkpoint FROM store.fork WHERE run = $1";

  static final String ORIGIN =
      "SELECT run, project FROM store.checkpoint WHERE id = $1 AND NOT deleting";

  static final String NEEDED =
      """
      SELECT id, problem, manifest FROM store.checkpoint
      WHERE id = ANY($1::text[]) AND project = $2 AND NOT deleting""";

  // Serializes with a concurrent deletion of the run: a deletion that locks first is visible here,
  // and one that locks later sees the fork.
  static final String LOCK =
      """
      SELECT id FROM store.checkpoint WHERE id = ANY($1::text[]) AND NOT deleting
      ORDER BY id FOR NO KEY UPDATE""";

  static final String VERIFIED =
      """
      UPDATE store.checkpoint c SET verified_at = o.verified_at
      FROM store.checkpoint o, jsonb_each_text($1::text::jsonb) AS copy
      WHERE c.id = copy.value AND o.id = copy.key AND o.verified_at IS NOT NULL AND c.problem IS NULL""";

  static final String INSERT =
      """
      INSERT INTO store.fork (run, project, parent, position, step, inside, checkpoint, copies)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb) ON CONFLICT (run) DO NOTHING""";

  static final String THAT_NEED = "SELECT run FROM store.fork WHERE parent = $1 AND state IS NULL";

  // A fork that was prepared but whose run was never created; seven days exceed any lag of the
  // store.
  static final String ABANDONED =
      """
      SELECT run FROM store.fork f WHERE made_at < now() - interval '7 days'
        AND NOT EXISTS (SELECT FROM store.event e WHERE e.run = f.run) LIMIT 1000""";

  static final String DELETE = "DELETE FROM store.fork WHERE run = $1";

  /**
   * Requests where a fork begins.
   *
   * @param parent the run; may be empty if a checkpoint is given
   * @param checkpoint of the parent; empty to begin after a step
   * @param step begins after its newest completion; empty if a checkpoint is given
   * @param filesOnly with the checkpoint's files, at the first step of the new run's workflow
   */
  public record Asked(
      String run,
      String project,
      String parent,
      String checkpoint,
      String step,
      boolean filesOnly) {}

  /**
   * @param checkpoint of the parent; null if the cut has none
   * @param step after or within which the fork begins; null for the whole run
   */
  public record Prepared(
      String parent, long position, @Nullable String step, @Nullable String checkpoint) {}

  /**
   * A checkpoint of the parent, copied as one of the fork.
   *
   * @param of the id of the parent's checkpoint
   * @param bytes of the manifest
   */
  private record Copy(String of, Manifest manifest, List<Hash> packs, byte[] bytes) {
    String id() {
      return manifest.id();
    }
  }

  private final Pool pool;
  private final ManifestObjectWriter objects;
  private final ProjectRepository projects;
  private final CheckpointReader openings;
  private final ForkPointFinder places;
  private final RunFoldService folds;
  private final Event<CheckpointCommitter.Committed> committed;

  ForkPreparer(
      Pool pool,
      ManifestObjectWriter objects,
      ProjectRepository projects,
      CheckpointReader openings,
      ForkPointFinder places,
      RunFoldService folds,
      Event<CheckpointCommitter.Committed> committed) {
    this.pool = pool;
    this.objects = objects;
    this.projects = projects;
    this.openings = openings;
    this.places = places;
    this.folds = folds;
    this.committed = committed;
  }

  /**
   * Prepares a fork; must be called before the run is created. Idempotent.
   *
   * @return fails with NOT_FOUND if the checkpoint or step does not exist, and with REFUSED {@code
   *     no_checkpoint}, {@code checkpoint_gone} and {@code corrupt}
   */
  public Uni<Prepared> prepare(Asked asked) {
    return known(asked)
        .chain(known -> known != null ? Uni.createFrom().item(known) : make(asked))
        // An earlier attempt may have ended between the rows and the objects.
        .call(() -> objects.writeOf(asked.run()));
  }

  private Uni<@Nullable Prepared> known(Asked asked) {
    return pool.preparedQuery(KNOWN)
        .execute(Tuple.of(asked.run()))
        .map(
            rows -> {
              if (rows.size() == 0) {
                return null;
              }
              Row row = rows.iterator().next();
              return new Prepared(
                  row.getString(0), row.getLong(1), row.getString(2), row.getString(3));
            });
  }

  private Uni<Prepared> make(Asked asked) {
    return place(asked)
        .chain(
            place ->
                needed(place)
                    .chain(needed -> make(asked, place, needed))
                    .chain(() -> known(asked))
                    .map(Objects::requireNonNull));
  }

  private Uni<ForkPoint> place(Asked asked) {
    if (asked.checkpoint().isEmpty()) {
      return places.afterStep(asked.parent(), asked.step());
    }
    return pool.preparedQuery(ORIGIN)
        .execute(Tuple.of(asked.checkpoint()))
        .chain(
            rows -> {
              if (rows.size() == 0
                  || !rows.iterator().next().getString(1).equals(asked.project())) {
                throw StoreRequestException.notFound(
                    "project %s has no checkpoint '%s'"
                        .formatted(asked.project(), asked.checkpoint()));
              }
              String run = rows.iterator().next().getString(0);
              if (!asked.parent().isEmpty() && !asked.parent().equals(run)) {
                throw StoreRequestException.invalid(
                    "checkpoint %s is of run %s, not of run %s"
                        .formatted(asked.checkpoint(), run, asked.parent()));
              }
              return asked.filesOnly()
                  ? openings
                      .manifest(asked.project(), asked.checkpoint())
                      .map(manifest -> ForkPointFinder.filesOf(run, manifest))
                  : places.ofCheckpoint(run, asked.checkpoint());
            });
  }

  /**
   * The checkpoints that the fork begins with.
   *
   * @param files without which it cannot begin
   * @param conversations without which later agent steps begin in new sessions
   */
  private record Needed(Set<String> files, Set<String> conversations) {}

  private Uni<Needed> needed(ForkPoint place) {
    if (place.single()) {
      Cut newest = place.newest();
      return Uni.createFrom()
          .item(new Needed(newest == null ? Set.of() : Set.of(id(place, newest)), Set.of()));
    }
    return folds
        .fold(place.parent(), place.position())
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            folded -> {
              ForkStateBuilder fork =
                  ForkStateBuilder.of(folded.run(), place.inside(), place.step());
              for (String branch : fork.withoutFiles()) {
                throw StoreRequestException.refused(
                    "no_checkpoint: the files of run %s%s are in no checkpoint"
                        .formatted(
                            place.parent(), branch.isEmpty() ? "" : ", branch '" + branch + "',"));
              }
              return new Needed(fork.checkpoints(), fork.conversations());
            });
  }

  private static String id(ForkPoint place, Cut cut) {
    String id = cut.checkpoint();
    if (id == null) {
      throw StoreRequestException.refused(
          "no_checkpoint: the files of run %s are in no checkpoint".formatted(place.parent()));
    }
    return id;
  }

  private Uni<Void> make(Asked asked, ForkPoint place, Needed needed) {
    Set<String> all = new TreeSet<>(needed.files());
    all.addAll(needed.conversations());
    if (all.isEmpty()) {
      return pool.withTransaction(tx -> insert(tx, asked, place, Map.of()));
    }
    return pool.preparedQuery(NEEDED)
        .execute(Tuple.of(all.toArray(String[]::new), asked.project()))
        .chain(
            rows -> {
              List<Copy> copies = new ArrayList<>();
              Set<String> missing = new TreeSet<>(needed.files());
              for (Row row : rows) {
                String id = row.getString(0);
                String problem = row.getString(1);
                if (problem != null && !needed.files().contains(id)) {
                  continue;
                }
                if (problem != null) {
                  throw StoreRequestException.refused(
                      "corrupt: checkpoint %s: %s".formatted(id, problem));
                }
                copies.add(copy(asked.run(), row.get(Buffer.class, 2).getBytes()));
                missing.remove(id);
              }
              if (!missing.isEmpty()) {
                throw gone(missing, place.parent());
              }
              return projects
                  .number(asked.project())
                  .chain(number -> store(number, asked, place, copies));
            });
  }

  private static StoreRequestException gone(Set<String> checkpoints, String parent) {
    return StoreRequestException.refused(
        "checkpoint_gone: of what the checkpoint of run %s needs, these checkpoints have been deleted: %s"
            .formatted(parent, String.join(", ", checkpoints)));
  }

  /**
   * Copies a checkpoint of the parent for the fork, with the same files. The id is derived from the
   * run and the parent's checkpoint, so a repeated request creates no second copy.
   */
  private static Copy copy(String run, byte[] bytes) {
    Manifest of = ManifestCodec.read(bytes);
    Manifest.Workspace files = of.workspace();
    Manifest own =
        new Manifest(
            of.version(),
            RunId.derived(run, of.id()),
            run,
            RunId.time(run),
            of.trigger(),
            new Manifest.Run(
                of.run().project(),
                of.run().workflow(),
                of.run().definitionHash(),
                1,
                of.run().step(),
                of.run().visit()),
            of.conversation(),
            new Manifest.Workspace(
                files.path(),
                files.sizeBytes(),
                files.fileCount(),
                files.uncommittedFiles(),
                files.digest(),
                files.format(),
                0,
                files.packs(),
                files.skipped(),
                files.skippedCount(),
                files.leftOut(),
                files.seenAt()),
            of.git(),
            of.metrics(),
            of.environment(),
            of.sessionState(),
            of.contributors(),
            of.agent(),
            null,
            of.others());
    List<Hash> packs =
        files.packs().stream().map(pack -> Hash.parse(pack.digest())).distinct().toList();
    return new Copy(of.id(), own, packs, ManifestCodec.write(own));
  }

  private Uni<Void> store(int project, Asked asked, ForkPoint place, List<Copy> copies) {
    return pool.withTransaction(tx -> store(tx, project, asked, place, copies))
        .invoke(() -> committed.fire(new CheckpointCommitter.Committed()));
  }

  private static Uni<Void> inTurn(List<Copy> copies, Function<Copy, Uni<?>> each) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (Copy copy : copies) {
      all = all.chain(() -> each.apply(copy).replaceWithVoid());
    }
    return all;
  }

  private static Uni<Void> store(
      SqlConnection tx, int project, Asked asked, ForkPoint place, List<Copy> copies) {
    Map<String, String> ids = new TreeMap<>();
    copies.forEach(copy -> ids.put(copy.of(), copy.id()));
    Set<Hash> packs = new LinkedHashSet<>();
    copies.forEach(copy -> packs.addAll(copy.packs()));
    return tx.preparedQuery(LOCK)
        .execute(Tuple.tuple().addValue(ids.keySet().toArray(String[]::new)))
        .invoke(
            locked -> {
              if (locked.size() < ids.size()) {
                throw gone(ids.keySet(), place.parent());
              }
            })
        .chain(() -> PackRepository.lockLive(tx, project, packs))
        .chain(
            () ->
                inTurn(
                    copies,
                    copy ->
                        CheckpointCommitter.insertLocked(
                            tx, project, copy.packs(), copy.manifest(), copy.bytes())))
        .chain(() -> tx.preparedQuery(VERIFIED).execute(Tuple.of(json(ids))))
        .chain(() -> insert(tx, asked, place, ids));
  }

  private static Uni<Void> insert(
      SqlConnection tx, Asked asked, ForkPoint place, Map<String, String> copies) {
    Cut inside = place.inside();
    return tx.preparedQuery(INSERT)
        .execute(
            Tuple.tuple()
                .addValue(asked.run())
                .addValue(asked.project())
                .addValue(place.parent())
                .addValue(place.position())
                .addValue(place.step())
                .addValue(
                    inside == null ? null : new String(Json.bytes(inside), StandardCharsets.UTF_8))
                .addValue(asked.checkpoint().isEmpty() ? null : asked.checkpoint())
                .addValue(json(copies)))
        .replaceWithVoid();
  }

  private static String json(Map<String, String> map) {
    return new String(Json.bytes(map), StandardCharsets.UTF_8);
  }

  /**
   * Folds and stores the origin state of each fork of this run that has none yet, before the run is
   * deleted. The run's checkpoints are already deleted, so no new fork can begin. Blocks.
   */
  public void keepOriginsOfForksOf(String run) {
    List<String> forks = new ArrayList<>();
    Await.get(pool.preparedQuery(THAT_NEED).execute(Tuple.of(run)))
        .forEach(row -> forks.add(row.getString(0)));
    forks.forEach(fork -> Await.get(folds.base(fork)));
  }

  /** Runs that were prepared at least a week ago and never created. */
  public List<String> abandoned() {
    List<String> runs = new ArrayList<>();
    Await.get(pool.query(ABANDONED).execute()).forEach(row -> runs.add(row.getString(0)));
    return runs;
  }

  /** Deletes the fork row of a run. Blocks. */
  public long delete(String run) {
    return Await.get(pool.preparedQuery(DELETE).execute(Tuple.of(run))).rowCount();
  }
}
