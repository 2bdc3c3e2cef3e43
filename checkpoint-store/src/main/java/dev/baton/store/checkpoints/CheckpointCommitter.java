/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.checkpoints;

import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.packs.PackRegistration;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.ProjectRepository;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;

/**
 * Commits checkpoints. Inserts the row, which decides between manifests with the same id, and then
 * writes that manifest's object; responds when both are stored. A refused manifest never reaches
 * the bucket. Thread-safe.
 */
@ApplicationScoped
public class CheckpointCommitter {
  static final String SAME =
      "SELECT manifest = $2, object_pending FROM store.checkpoint WHERE id = $1";

  static final String INSERT =
      """
      WITH made AS (
        INSERT INTO store.checkpoint (id, run, project, workflow, epoch, step, trigger, created_at,
          digest, size_bytes, stored_bytes, file_count, pack_count, pack_bytes, manifest,
          object_pending, problem)
        VALUES ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, cardinality($2::bytea[]), $15,
          $16, true, (SELECT min('pack sha256:' || encode(p.digest, 'hex') || ': ' || p.problem)
            FROM store.pack p WHERE p.project = $1 AND p.digest = ANY($2::bytea[])))
        ON CONFLICT (id) DO NOTHING RETURNING number),
      referred AS (
        INSERT INTO store.checkpoint_pack (pack, checkpoint)
        SELECT p.id, made.number FROM made, store.pack p
        WHERE p.project = $1 AND p.digest = ANY($2::bytea[]))
      SELECT number FROM made""";

  /** Event: a checkpoint was committed and has to be verified. */
  public record Committed() {}

  /** What the row of a manifest's id says about it. */
  private enum Found {
    NONE,
    PENDING,
    STORED
  }

  private final Pool pool;
  private final ManifestObjectWriter objects;
  private final PackRepository packs;
  private final ProjectRepository projects;
  private final Event<Committed> committed;

  CheckpointCommitter(
      Pool pool,
      ManifestObjectWriter objects,
      PackRepository packs,
      ProjectRepository projects,
      Event<Committed> committed) {
    this.pool = pool;
    this.objects = objects;
    this.packs = packs;
    this.projects = projects;
    this.committed = committed;
  }

  /**
   * Commits a checkpoint. Idempotent for the same bytes. The caller must have checked the
   * permission.
   *
   * @param bytes the manifest
   * @param fresh packs that are not registered yet
   * @return fails with INVALID if the bytes are not a manifest of this run, and with REFUSED {@code
   *     packs_gone}
   */
  public Uni<Void> commit(
      String run, int epoch, String project, byte[] bytes, List<PackRegistration> fresh) {
    Manifest manifest = check(run, epoch, project, bytes);
    return find(manifest, bytes)
        .chain(
            found ->
                switch (found) {
                  case NONE -> commit(run, project, manifest, bytes, fresh);
                  case PENDING -> write(manifest, bytes);
                  case STORED -> Uni.createFrom().voidItem();
                });
  }

  private static Manifest check(String run, int epoch, String project, byte[] bytes) {
    Manifest manifest;
    try {
      manifest = ManifestCodec.read(bytes);
    } catch (IllegalArgumentException e) {
      throw StoreRequestException.invalid(String.valueOf(e.getMessage()));
    }
    requireSame("session_id", manifest.sessionId(), run);
    requireSame("run.project", manifest.run().project(), project);
    if (epoch != 0) {
      requireSame("run.epoch", Integer.toString(manifest.run().epoch()), Integer.toString(epoch));
    }
    requireSame("workspace.format", manifest.workspace().format(), Manifest.Workspace.TREE);
    return manifest;
  }

  private static void requireSame(String member, String value, String wanted) {
    if (!value.equals(wanted)) {
      throw StoreRequestException.invalid(
          "the manifest's %s is '%s', it must be '%s'".formatted(member, value, wanted));
    }
  }

  /** Fails with INVALID if the row has another manifest. */
  private Uni<Found> find(Manifest manifest, byte[] bytes) {
    return pool.preparedQuery(SAME)
        .execute(Tuple.of(manifest.id(), Buffer.buffer(bytes)))
        .map(
            rows -> {
              if (rows.size() == 0) {
                return Found.NONE;
              }
              Row row = rows.iterator().next();
              if (!row.getBoolean(0)) {
                throw StoreRequestException.invalid(
                    "checkpoint " + manifest.id() + " already exists, with another manifest");
              }
              return row.getBoolean(1) ? Found.PENDING : Found.STORED;
            });
  }

  private Uni<Void> commit(
      String run, String project, Manifest manifest, byte[] bytes, List<PackRegistration> fresh) {
    List<Hash> wanted =
        manifest.workspace().packs().stream()
            .map(pack -> Hash.parse(pack.digest()))
            .distinct()
            .toList();
    return packs
        .register(run, project, fresh)
        .chain(() -> projects.number(project))
        .chain(number -> pool.withTransaction(tx -> insert(tx, number, wanted, manifest, bytes)))
        // Another request may have inserted the row first, perhaps with another manifest.
        .call(made -> made ? Uni.createFrom().voidItem() : find(manifest, bytes))
        .chain(() -> write(manifest, bytes));
  }

  private Uni<Void> write(Manifest manifest, byte[] bytes) {
    return objects
        .write(
            new CheckpointName(manifest.run().project(), manifest.sessionId(), manifest.id()),
            bytes)
        .invoke(() -> committed.fire(new Committed()));
  }

  /** Locks all packs and checks that they are live, then adds the references. */
  private static Uni<Boolean> insert(
      SqlConnection tx, int project, List<Hash> wanted, Manifest manifest, byte[] bytes) {
    return PackRepository.lockLive(tx, project, wanted)
        .chain(() -> insertLocked(tx, project, wanted, manifest, bytes));
  }

  /**
   * Inserts a checkpoint in the transaction that has locked the packs. False if it already exists.
   */
  public static Uni<Boolean> insertLocked(
      SqlConnection tx, int project, List<Hash> wanted, Manifest manifest, byte[] bytes) {
    return tx.preparedQuery(INSERT)
        .execute(row(project, wanted, manifest, bytes))
        .map(rows -> rows.size() > 0);
  }

  private static Tuple row(int project, List<Hash> wanted, Manifest manifest, byte[] bytes) {
    Manifest.Workspace workspace = manifest.workspace();
    return Tuple.tuple()
        .addValue(project)
        .addValue(PackRepository.digests(wanted))
        .addValue(manifest.id())
        .addValue(manifest.sessionId())
        .addValue(manifest.run().project())
        .addValue(manifest.run().workflow())
        .addValue(manifest.run().epoch())
        .addValue(Objects.requireNonNullElse(manifest.run().step(), ""))
        .addValue(manifest.trigger().word())
        .addValue(OffsetDateTime.ofInstant(manifest.createdAt(), ZoneOffset.UTC))
        .addValue(Buffer.buffer(Hash.parse(workspace.digest()).toBytes()))
        .addValue(workspace.sizeBytes())
        .addValue(workspace.storedBytes())
        .addValue(workspace.fileCount())
        .addValue(workspace.packs().stream().mapToLong(Manifest.Pack::sizeBytes).sum())
        .addValue(Buffer.buffer(bytes));
  }
}
