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
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.packs.PackRegistration;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.ProjectRepository;
import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import org.jboss.logging.Logger;

/**
 * Commits checkpoints. Writes the manifest's object before the row, so that every checkpoint in
 * Postgres can be restored from the bucket. Thread-safe.
 */
@ApplicationScoped
public class CheckpointCommitter {
  private static final Logger LOG = Logger.getLogger(CheckpointCommitter.class);

  static final String SAME = "SELECT manifest = $2 FROM store.checkpoint WHERE id = $1";

  static final String EXISTS = "SELECT FROM store.checkpoint WHERE id = $1";

  static final String INSERT =
      """
      WITH made AS (
        INSERT INTO store.checkpoint (id, run, project, workflow, epoch, step, trigger, created_at,
          digest, size_bytes, stored_bytes, file_count, pack_count, pack_bytes, manifest, problem)
        VALUES ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, cardinality($2::bytea[]), $15,
          $16, (SELECT min('pack sha256:' || encode(p.digest, 'hex') || ': ' || p.problem)
            FROM store.pack p WHERE p.project = $1 AND p.digest = ANY($2::bytea[])))
        ON CONFLICT (id) DO NOTHING RETURNING number),
      referred AS (
        INSERT INTO store.checkpoint_pack (pack, checkpoint)
        SELECT p.id, made.number FROM made, store.pack p
        WHERE p.project = $1 AND p.digest = ANY($2::bytea[]))
      SELECT number FROM made""";

  /** Event: a checkpoint was committed and has to be verified. */
  public record Committed() {}

  private final Pool pool;
  private final BucketClient bucket;
  private final PackRepository packs;
  private final ProjectRepository projects;
  private final Event<Committed> committed;

  CheckpointCommitter(
      Pool pool,
      BucketClient bucket,
      PackRepository packs,
      ProjectRepository projects,
      Event<Committed> committed) {
    this.pool = pool;
    this.bucket = bucket;
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
    return same(manifest, bytes)
        .chain(
            done ->
                done ? Uni.createFrom().voidItem() : commit(run, project, manifest, bytes, fresh));
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

  private Uni<Boolean> same(Manifest manifest, byte[] bytes) {
    return pool.preparedQuery(SAME)
        .execute(Tuple.of(manifest.id(), Buffer.buffer(bytes)))
        .map(
            rows -> {
              if (rows.size() == 0) {
                return false;
              }
              if (!rows.iterator().next().getBoolean(0)) {
                throw StoreRequestException.invalid(
                    "checkpoint " + manifest.id() + " already exists, with another manifest");
              }
              return true;
            });
  }

  /** Writes the manifest while the packs are made live; the later steps wait for both. */
  private Uni<Void> commit(
      String run, String project, Manifest manifest, byte[] bytes, List<PackRegistration> fresh) {
    List<Hash> wanted =
        manifest.workspace().packs().stream()
            .map(pack -> Hash.parse(pack.digest()))
            .distinct()
            .toList();
    String key = new CheckpointName(project, manifest.sessionId(), manifest.id()).manifestKey();
    return Uni.combine()
        .all()
        .unis(live(run, project, fresh, wanted), bucket.put(key, bytes))
        // Wait for both, so that neither is still in progress when the manifest is removed again.
        .collectFailures()
        .with((number, put) -> number)
        .onFailure(CompositeException.class)
        .transform(failures -> failures.getCause())
        .chain(
            number ->
                pool.withTransaction(tx -> insert(tx, number, wanted, manifest, bytes))
                    .chain(
                        made ->
                            made
                                ? Uni.createFrom().voidItem()
                                : same(manifest, bytes).replaceWithVoid())) // lost the race
        .onFailure(CheckpointCommitter::isFinal)
        .call(() -> takeBack(manifest.id(), key))
        .invoke(() -> committed.fire(new Committed()));
  }

  /** Returns the project's number once its packs are live. */
  private Uni<Integer> live(
      String run, String project, List<PackRegistration> fresh, List<Hash> wanted) {
    return packs
        .register(run, project, fresh)
        .chain(() -> projects.number(project))
        .call(number -> packs.requireLive(number, wanted));
  }

  /** Removes the manifest, unless another request has created the checkpoint in the meantime. */
  private Uni<Void> takeBack(String id, String key) {
    return pool.preparedQuery(EXISTS)
        .execute(Tuple.of(id))
        .chain(rows -> rows.size() > 0 ? Uni.createFrom().voidItem() : bucket.remove(key))
        .onFailure()
        .invoke(
            failure ->
                LOG.warnf(
                    "manifest %s without a checkpoint could not be removed: %s", key, failure))
        .onFailure()
        .recoverWithNull();
  }

  private static boolean isFinal(Throwable failure) {
    return failure instanceof StoreRequestException known
        && (known.kind() == StoreRequestException.Kind.REFUSED
            || known.kind() == StoreRequestException.Kind.INVALID);
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
