/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.ObjectName;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Inserts rows for packs before their upload, so that the bucket holds no pack without a row.
 * Thread-safe.
 */
@ApplicationScoped
public class PackUploadRegistry {
  private static final int TRIES = 40;
  private static final Duration PAUSE = Duration.ofMillis(100);

  // A pack that is being deleted is not recorded and is missing in the result. One that was deleted
  // recently gets a new key, which no late deletion can hit.
  static final String NOTE =
      """
      INSERT INTO store.pack AS old
        (project, digest, size_bytes, index_bytes, state, run, touched_at, key_suffix)
      SELECT $1::integer, g.digest, g.size_bytes, 0, 0, $4, now(),
        CASE WHEN EXISTS (
          SELECT FROM store.deleted_pack d WHERE d.project = $1 AND d.digest = g.digest)
        THEN '.' || left(replace(gen_random_uuid()::text, '-', ''), 12) ELSE '' END
      FROM unnest($2::bytea[], $3::bigint[]) AS g(digest, size_bytes) ORDER BY g.digest
      ON CONFLICT (project, digest) DO UPDATE SET touched_at = now() WHERE old.state <> 2
      RETURNING old.digest, old.size_bytes,
        old.state = 1 AND old.problem IS NULL AND old.suspect_at IS NULL
          AND (old.run = $4 OR old.verified_at IS NOT NULL),
        old.key_suffix""";

  /**
   * A recorded pack.
   *
   * @param present whether it needs no upload: the run has registered it, or it was verified
   * @param keySuffix the end of its object's key after the digest; usually empty
   */
  public record NotedPack(boolean present, String keySuffix) {}

  private final Pool pool;
  private final ProjectRepository projects;

  PackUploadRegistry(Pool pool, ProjectRepository projects) {
    this.pool = pool;
    this.projects = projects;
  }

  /**
   * Records packs and returns for each whether it needs an upload, and its key. Waits, within a
   * bound, for packs that are being deleted.
   *
   * @param objects distinct packs of one project, at least one
   */
  public Uni<Map<Hash, NotedPack>> note(String run, List<ObjectName> objects) {
    Map<Hash, Long> sizes = new HashMap<>();
    objects.forEach(object -> sizes.put(Hash.read(object.hash(), 0), object.sizeBytes()));
    return projects
        .number(objects.getFirst().project())
        .chain(
            number ->
                Uni.createFrom()
                    .deferred(() -> noteOnce(number, run, sizes))
                    .onFailure(PackUploadRegistry::isBeingDeleted)
                    .retry()
                    .withBackOff(PAUSE, PAUSE)
                    .atMost(TRIES));
  }

  private static boolean isBeingDeleted(Throwable failure) {
    return failure instanceof StoreRequestException known
        && known.kind() == StoreRequestException.Kind.UNAVAILABLE;
  }

  private Uni<Map<Hash, NotedPack>> noteOnce(int project, String run, Map<Hash, Long> sizes) {
    List<Hash> hashes = List.copyOf(sizes.keySet());
    Buffer[] digests = PackRepository.digests(hashes);
    Long[] bytes = hashes.stream().map(sizes::get).toArray(Long[]::new);
    return pool.withTransaction(
            tx ->
                tx.preparedQuery(PackRepository.LOCK)
                    .execute(Tuple.of(project, digests))
                    .chain(
                        () ->
                            tx.preparedQuery(NOTE).execute(Tuple.of(project, digests, bytes, run))))
        .map(
            rows -> {
              Map<Hash, NotedPack> present = new HashMap<>();
              for (Row row : rows) {
                Hash hash = Hash.read(row.get(Buffer.class, 0).getBytes(), 0);
                present.put(
                    hash,
                    new NotedPack(
                        row.getBoolean(2) && row.getLong(1).equals(sizes.get(hash)),
                        row.getString(3)));
              }
              hashes.stream()
                  .filter(hash -> !present.containsKey(hash))
                  .findFirst()
                  .ifPresent(
                      hash -> {
                        throw StoreRequestException.unavailable(
                            "pack " + hash + " is being deleted; retry soon");
                      });
              return present;
            });
  }
}
