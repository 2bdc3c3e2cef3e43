/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.logs.LogChunkName;
import dev.baton.store.logs.LogChunkService;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.ProjectRepository;
import dev.baton.store.scheduling.Await;
import io.minio.messages.Item;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Deletes packs in the bucket that have no row. Since a row is inserted before an upload is
 * allowed, they are left over from a database that was restored to an earlier time. In a project
 * that has a manifest without a row, however new, nothing is deleted: the database may be behind
 * the bucket and requires {@code reindex}. Blocks.
 */
@ApplicationScoped
class OrphanPackCollector {
  private static final Logger LOG = Logger.getLogger(OrphanPackCollector.class);
  private static final Pattern PACK =
      Pattern.compile("([^/]+)/packs/([0-9a-f]{64})(\\.[0-9a-f]+)?");
  private static final int BATCH = 1_000;

  static final String UNKNOWN_CHECKPOINT =
      """
      SELECT id FROM unnest($1::text[]) AS asked(id)
      WHERE NOT EXISTS (SELECT FROM store.checkpoint c WHERE c.id = asked.id) LIMIT 1""";

  static final String UNKNOWN_PACKS =
      """
      SELECT asked.number::integer
      FROM unnest($2::bytea[], $3::text[]) WITH ORDINALITY AS asked(digest, suffix, number)
      WHERE NOT EXISTS (
        SELECT FROM store.pack p
        WHERE p.project = $1 AND p.digest = asked.digest AND p.key_suffix = asked.suffix)""";

  // The row reserves the digest while the object is being deleted.
  static final String TAKE =
      """
      INSERT INTO store.pack
        (project, digest, size_bytes, index_bytes, state, run, touched_at, key_suffix)
      VALUES ($1, $2, $3, 0, 2, '', now(), $4) ON CONFLICT DO NOTHING RETURNING id""";

  // The pack has another key; this one is not used again for a while.
  static final String TAKE_OTHER_KEY =
      """
      INSERT INTO store.deleted_pack (project, digest)
      SELECT project, digest FROM store.pack
      WHERE project = $1 AND digest = $2 AND key_suffix <> $3
      ON CONFLICT (project, digest) DO UPDATE SET deleted_at = now() RETURNING digest""";

  /** A pack object. */
  private record Found(String project, Hash digest, String suffix, long size) {
    Buffer digestValue() {
      return Buffer.buffer(digest.toBytes());
    }
  }

  private final Pool pool;
  private final BucketClient bucket;
  private final ProjectRepository projects;
  private final BucketTokenGuard token;
  private final LogChunkService logs;

  OrphanPackCollector(
      Pool pool,
      BucketClient bucket,
      ProjectRepository projects,
      BucketTokenGuard token,
      LogChunkService logs) {
    this.pool = pool;
    this.bucket = bucket;
    this.projects = projects;
    this.token = token;
    this.logs = logs;
  }

  PackGarbageCollector.Report run(Duration grace, boolean dryRun) {
    if (!token.matches()) {
      LOG.warn(
          "this database does not belong to the bucket: objects without a row are not deleted."
              + " Run the store's Reindex.");
      return PackGarbageCollector.Report.NOTHING;
    }
    Pass pass = new Pass(ZonedDateTime.now(ZoneOffset.UTC).minus(grace), dryRun);
    for (Item object : bucket.list("")) {
      pass.take(object);
    }
    pass.flush();
    return pass.report;
  }

  /**
   * Lists the keys in order. A project's manifests come before its packs, so the pass detects a
   * database that is behind before it deletes a pack.
   */
  private final class Pass {
    private final ZonedDateTime before;
    private final boolean dryRun;
    private final List<String> manifests = new ArrayList<>();
    private final List<Found> packs = new ArrayList<>();
    private final List<Item> chunks = new ArrayList<>();
    private String project = "";
    private boolean behind;
    private PackGarbageCollector.Report report = PackGarbageCollector.Report.NOTHING;

    Pass(ZonedDateTime before, boolean dryRun) {
      this.before = before;
      this.dryRun = dryRun;
    }

    void take(Item item) {
      Optional<CheckpointName> manifest = CheckpointName.ofManifest(item.objectName());
      Matcher pack = PACK.matcher(item.objectName());
      Optional<LogChunkName> chunk = LogChunkName.ofKey(item.objectName());
      if (manifest.isEmpty()
          && ((chunk.isEmpty() && !pack.matches()) || item.lastModified().isAfter(before))) {
        return;
      }
      enter(
          manifest
              .map(CheckpointName::project)
              .or(() -> chunk.map(LogChunkName::project))
              .orElseGet(() -> pack.group(1)));
      if (manifest.isPresent()) {
        manifests.add(manifest.get().id());
      } else if (chunk.isPresent()) {
        chunks.add(item);
      } else {
        packs.add(
            new Found(
                project,
                Hash.parse("sha256:" + pack.group(2)),
                Objects.requireNonNullElse(pack.group(3), ""),
                item.size()));
      }
      if (manifests.size() + chunks.size() + packs.size() >= BATCH) {
        flush();
      }
    }

    private void enter(String next) {
      if (!next.equals(project)) {
        flush();
        project = next;
        behind = false;
      }
    }

    void flush() {
      if (!manifests.isEmpty() && !behind && isUnknown(manifests)) {
        behind = true;
        LOG.warnf(
            "project %s has checkpoints in the bucket that are not in this database: its packs"
                + " without a row are not deleted. Run the store's Reindex.",
            project);
      }
      manifests.clear();
      if (!chunks.isEmpty() && !behind) {
        report = report.and(deleteChunks(chunks, dryRun));
      }
      chunks.clear();
      if (!packs.isEmpty() && !behind) {
        report = report.and(delete(packs, dryRun));
      }
      packs.clear();
    }
  }

  /** Deletes log chunks of runs without rows: their run was deleted while they were uploaded. */
  private PackGarbageCollector.Report deleteChunks(List<Item> chunks, boolean dryRun) {
    Map<String, List<Item>> ofRuns =
        chunks.stream()
            .collect(
                Collectors.groupingBy(
                    item -> LogChunkName.ofKey(item.objectName()).orElseThrow().run()));
    PackGarbageCollector.Report report = PackGarbageCollector.Report.NOTHING;
    for (String run : logs.unknown(ofRuns.keySet())) {
      for (Item item : ofRuns.getOrDefault(run, List.of())) {
        if (!dryRun) {
          Await.get(bucket.remove(item.objectName()));
        }
        report = report.and(new PackGarbageCollector.Report(0, 0, 0, 1, item.size()));
      }
    }
    return report;
  }

  private boolean isUnknown(List<String> checkpoints) {
    return Await.get(
                pool.preparedQuery(UNKNOWN_CHECKPOINT)
                    .execute(Tuple.tuple().addValue(checkpoints.toArray(String[]::new))))
            .size()
        > 0;
  }

  private PackGarbageCollector.Report delete(List<Found> packs, boolean dryRun) {
    int project = Await.get(projects.number(packs.getFirst().project()));
    PackGarbageCollector.Report report = PackGarbageCollector.Report.NOTHING;
    for (Found pack : unknown(project, packs)) {
      if (dryRun || delete(project, pack)) {
        report = report.and(new PackGarbageCollector.Report(0, 0, 0, 1, pack.size()));
      }
    }
    return report;
  }

  private List<Found> unknown(int project, List<Found> packs) {
    Buffer[] digests = packs.stream().map(Found::digestValue).toArray(Buffer[]::new);
    String[] suffixes = packs.stream().map(Found::suffix).toArray(String[]::new);
    List<Found> unknown = new ArrayList<>();
    for (Row row :
        Await.get(
            pool.preparedQuery(UNKNOWN_PACKS).execute(Tuple.of(project, digests, suffixes)))) {
      unknown.add(packs.get(row.getInteger(0) - 1));
    }
    return unknown;
  }

  /** Deletes the pack's object. False if a runner has started to upload it. */
  private boolean delete(int project, Found pack) {
    String key = PackRepository.key(pack.project(), pack.digest(), pack.suffix());
    RowSet<Row> taken =
        Await.get(
            pool.preparedQuery(TAKE)
                .execute(Tuple.of(project, pack.digestValue(), pack.size(), pack.suffix())));
    if (taken.size() > 0) {
      Await.get(bucket.remove(key));
      Await.get(PackDeletion.deleteRow(pool, taken.iterator().next().getLong(0)));
      return true;
    }
    boolean stale =
        Await.get(
                    pool.preparedQuery(TAKE_OTHER_KEY)
                        .execute(Tuple.of(project, pack.digestValue(), pack.suffix())))
                .size()
            > 0;
    if (stale) {
      Await.get(bucket.remove(key));
    }
    return stale;
  }
}
