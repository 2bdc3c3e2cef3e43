/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.deletion;

import dev.baton.store.archive.RunArchiver;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.forks.ForkPreparer;
import dev.baton.store.gc.PackGarbageCollector;
import dev.baton.store.logs.LogChunkService;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.retention.CheckpointDeleter;
import dev.baton.store.scheduling.Await;
import dev.baton.store.snapshot.RequiredCheckpoints;
import dev.baton.store.snapshot.RunFoldService;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jboss.logging.Logger;

/**
 * Erases a run that has ended: events, cuts, checkpoints with their objects, blobs that no other
 * run uses, and its ref in the git archive. Packs are shared, so the garbage collector deletes
 * them. Can be repeated after a failure. Blocks.
 */
@ApplicationScoped
public class RunEraser {
  private static final Logger LOG = Logger.getLogger(RunEraser.class);

  static final String CHECKPOINTS =
      """
      SELECT c.id, c.project, c.pinned_at IS NOT NULL
      FROM store.checkpoint c WHERE c.run = $1""";

  static final String PROJECT =
      """
      SELECT convert_from(data, 'UTF8')::json ->> 'project' FROM store.event
      WHERE run = $1 AND lane = 0 AND type = 'dev.baton.run_created'""";

  static final String PACKS =
      """
      SELECT DISTINCT r.pack FROM store.checkpoint c
      JOIN store.checkpoint_pack r ON r.checkpoint = c.number WHERE c.run = $1""";

  static final String WAITING =
      """
      SELECT count(*), coalesce(sum(p.size_bytes), 0)::bigint FROM store.pack p
      WHERE p.id = ANY($1::bigint[])
        AND NOT EXISTS (SELECT FROM store.checkpoint_pack r WHERE r.pack = p.id)""";

  // Excludes projects with a possible open upload: another run was promised a pack of the project
  // recently.
  static final String QUIET =
      """
      SELECT p.id FROM store.pack p
      WHERE p.id = ANY($1::bigint[])
        AND NOT EXISTS (SELECT FROM store.checkpoint_pack r WHERE r.pack = p.id)
        AND NOT EXISTS (
          SELECT FROM store.pack o
          WHERE o.touched_at > now() - make_interval(secs => $3::double precision)
            AND o.project = p.project AND o.run <> $2 AND o.run <> '')""";

  /**
   * @param left counts after the deletion
   * @param packsWaiting unreferenced packs that the garbage collector will delete later
   */
  public record Proof(
      RunCounts deleted, RunCounts left, long packsWaiting, long packsWaitingBytes) {}

  /** The run's rows in the snapshot tables. */
  private record Holdings(List<String> checkpoints, TreeSet<String> projects, List<Long> packs) {}

  private final Pool pool;
  private final BucketClient bucket;
  private final RequiredCheckpoints needs;
  private final CheckpointDeleter deletion;
  private final PackGarbageCollector collection;
  private final StoredRunRepository rows;
  private final LogChunkService logs;
  private final ForkPreparer forks;
  private final RunArchiver archive;
  private final RunFoldService folds;
  private final double urlLifeSeconds;

  RunEraser(
      Pool pool,
      BucketClient bucket,
      RequiredCheckpoints needs,
      CheckpointDeleter deletion,
      PackGarbageCollector collection,
      StoredRunRepository rows,
      LogChunkService logs,
      ForkPreparer forks,
      RunArchiver archive,
      RunFoldService folds,
      StoreConfig config) {
    this.pool = pool;
    this.bucket = bucket;
    this.needs = needs;
    this.deletion = deletion;
    this.collection = collection;
    this.rows = rows;
    this.logs = logs;
    this.forks = forks;
    this.archive = archive;
    this.folds = folds;
    urlLifeSeconds = config.objectStore().urlLife().toSeconds();
  }

  /**
   * Deletes the run. Fails with REFUSED while the run is alive, and while one of its checkpoints is
   * pinned unless {@code force} is set.
   *
   * @param now whether to delete packs at once if no upload can be about to use them
   * @param force whether to delete pinned checkpoints too
   */
  public Proof delete(String run, boolean now, boolean force) {
    if (Await.get(needs.of(run)) instanceof RequiredCheckpoints.Need.Alive) {
      throw StoreRequestException.refused("run_alive: run " + run + " has not ended");
    }
    Holdings holdings = holdings(run, force);
    RunCounts before = count(run, holdings);
    deletion.delete(holdings.checkpoints(), force);
    holdings(run, force); // checks again: a checkpoint pinned meanwhile was not deleted
    forks.keepOriginsOfForksOf(run);
    List<Long> blobs = rows.deleteBlobs(run);
    LogChunkService.Deleted chunks = logs.delete(run, holdings.projects());
    removeManifests(run, holdings);
    // Before the events are deleted: the archiver would archive the run again from its events.
    long archived = archive.erase(run);
    long events = rows.deleteEvents(run);
    folds.forget(run);
    long cuts = rows.delete(StoredRunRepository.DELETE_CUTS, run);
    rows.delete(StoredRunRepository.DELETE_HOME, run);
    long origins = forks.delete(run);
    PackGarbageCollector.Report packs = collection.now(now ? quiet(run, holdings) : List.of());
    RunCounts deleted =
        new RunCounts(
            events,
            cuts,
            before.checkpoints(),
            before.manifests(),
            blobs.size() + chunks.objects(),
            packs.deletedPacks(),
            packs.deletedBytes() + chunks.bytes() + blobs.stream().mapToLong(Long::longValue).sum(),
            origins,
            archived);
    Row waiting = waiting(holdings);
    Proof proof = new Proof(deleted, count(run, holdings), waiting.getLong(0), waiting.getLong(1));
    LOG.infof("deleted run %s: %s", run, proof);
    return proof;
  }

  private Holdings holdings(String run, boolean force) {
    List<String> checkpoints = new ArrayList<>();
    TreeSet<String> projects = new TreeSet<>();
    for (Row row : Await.get(pool.preparedQuery(CHECKPOINTS).execute(Tuple.of(run)))) {
      String id = row.getString(0);
      if (row.getBoolean(2) && !force) {
        throw StoreRequestException.refused(
            "pinned: checkpoint " + id + " of run " + run + " is pinned");
      }
      checkpoints.add(id);
      projects.add(row.getString(1));
    }
    for (Row row : Await.get(pool.preparedQuery(PROJECT).execute(Tuple.of(run)))) {
      // Of an event that any program may have written, and part of the keys that are deleted.
      String project = row.getString(0);
      if (project != null && ObjectName.isProject(project)) {
        projects.add(project);
      }
    }
    List<Long> packs = new ArrayList<>();
    Await.get(pool.preparedQuery(PACKS).execute(Tuple.of(run)))
        .forEach(row -> packs.add(row.getLong(0)));
    return new Holdings(checkpoints, projects, packs);
  }

  private RunCounts count(String run, Holdings holdings) {
    return new RunCounts(
        rows.count(StoredRunRepository.COUNT_EVENTS, run),
        rows.count(StoredRunRepository.COUNT_CUTS, run),
        rows.count(StoredRunRepository.COUNT_CHECKPOINTS, run),
        manifests(run, holdings),
        rows.count(StoredRunRepository.COUNT_BLOBS, run),
        0,
        0,
        rows.count(StoredRunRepository.COUNT_ORIGINS, run),
        archive.count(run));
  }

  /** The keys of manifests and pins in the bucket; a crash may have left some without a row. */
  private List<String> keys(String run, Holdings holdings) {
    List<String> keys = new ArrayList<>();
    for (String project : holdings.projects()) {
      bucket
          .list(CheckpointName.prefix(project, run))
          .forEach(object -> keys.add(object.objectName()));
    }
    return keys;
  }

  /** Counts manifests; a pin counts with its manifest. */
  private long manifests(String run, Holdings holdings) {
    return keys(run, holdings).stream()
        .map(key -> key.replaceFirst("(\\.[0-9a-f]{64})?\\.(json|pin)$", ""))
        .distinct()
        .count();
  }

  private void removeManifests(String run, Holdings holdings) {
    keys(run, holdings).forEach(key -> Await.get(bucket.remove(key)));
  }

  private List<Long> quiet(String run, Holdings holdings) {
    List<Long> ids = new ArrayList<>();
    Await.get(
            pool.preparedQuery(QUIET)
                .execute(Tuple.of(holdings.packs().toArray(Long[]::new), run, urlLifeSeconds)))
        .forEach(row -> ids.add(row.getLong(0)));
    return ids;
  }

  private Row waiting(Holdings holdings) {
    RowSet<Row> found =
        Await.get(
            pool.preparedQuery(WAITING)
                .execute(Tuple.tuple().addValue(holdings.packs().toArray(Long[]::new))));
    return found.iterator().next();
  }
}
