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
import dev.baton.store.packs.PackRepository;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/** Returns the manifest and the pack URLs that a restore needs. Thread-safe. */
@ApplicationScoped
public class CheckpointReader {
  static final String MANIFEST =
      """
      SELECT manifest FROM store.checkpoint
      WHERE id = $1 AND ($2::text = '' OR project = $2::text) AND NOT deleting""";

  // Keeps the packs for as long as their URLs are valid, even if the checkpoint is deleted.
  static final String TOUCH =
      """
      WITH due AS MATERIALIZED (
        SELECT p.id FROM store.checkpoint c
        JOIN store.checkpoint_pack r ON r.checkpoint = c.number
        JOIN store.pack p ON p.id = r.pack
        WHERE c.id = $1 AND p.touched_at < now() - interval '1 minute'
        ORDER BY p.id FOR NO KEY UPDATE OF p)
      UPDATE store.pack p SET touched_at = now() FROM due WHERE p.id = due.id""";

  /** A pack and the URL to download it from. */
  public record OpenPack(Hash digest, long sizeBytes, int indexBytes, String getUrl) {}

  /**
   * @param manifest the bytes as they were committed
   */
  public record Opened(byte[] manifest, List<OpenPack> packs) {}

  private final Pool pool;
  private final BucketClient bucket;
  private final PackRepository packs;

  CheckpointReader(Pool pool, BucketClient bucket, PackRepository packs) {
    this.pool = pool;
    this.bucket = bucket;
    this.packs = packs;
  }

  /**
   * Returns the manifest and a URL for each pack. Fails with NOT_FOUND if the project has no such
   * checkpoint, and with REFUSED {@code checkpoint_damaged} if its manifest cannot be read, for
   * example because its version is unknown.
   */
  public Uni<Opened> open(String project, String id) {
    return pool.preparedQuery(TOUCH)
        .execute(Tuple.of(id))
        .chain(() -> manifest(project, id))
        .emitOn(Infrastructure.getDefaultExecutor())
        .chain(bytes -> opened(id, bytes));
  }

  /**
   * @param project empty for any project
   */
  public Uni<byte[]> manifest(String project, String id) {
    return pool.preparedQuery(MANIFEST)
        .execute(Tuple.of(id, project))
        .map(
            rows -> {
              if (rows.size() == 0) {
                throw StoreRequestException.notFound(
                    project.isEmpty()
                        ? "checkpoint '%s' does not exist".formatted(id)
                        : "project %s has no checkpoint '%s'".formatted(project, id));
              }
              return rows.iterator().next().get(Buffer.class, 0).getBytes();
            });
  }

  private Uni<Opened> opened(String id, byte[] bytes) {
    Manifest manifest;
    try {
      manifest = ManifestCodec.read(bytes);
    } catch (IllegalArgumentException e) {
      throw StoreRequestException.refused(
          "checkpoint_damaged: checkpoint %s: %s".formatted(id, e.getMessage()));
    }
    String project = manifest.run().project();
    List<Hash> digests =
        manifest.workspace().packs().stream().map(pack -> Hash.parse(pack.digest())).toList();
    return packs
        .suffixes(project, digests)
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            suffixes ->
                new Opened(
                    bytes,
                    manifest.workspace().packs().stream()
                        .map(pack -> open(project, pack, suffixes))
                        .toList()));
  }

  private OpenPack open(String project, Manifest.Pack pack, Map<Hash, String> suffixes) {
    Hash digest = Hash.parse(pack.digest());
    return new OpenPack(
        digest,
        pack.sizeBytes(),
        pack.indexBytes(),
        bucket.getUrl(PackRepository.key(project, digest, suffixes.getOrDefault(digest, ""))));
  }
}
