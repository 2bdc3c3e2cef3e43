/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * Registers and locks packs, from the end of their upload to their use in a checkpoint.
 * Thread-safe.
 */
@ApplicationScoped
public class PackRepository {
  /** Maximum packs in a request. */
  public static final int MOST = 1_000;

  private static final int LOOKS_AT_ONCE = 8;

  /**
   * Maximum chunks of a request whose rows are inserted at once. For a larger capture a fast
   * response matters more than finding its chunks soon, and the verification of its packs inserts
   * the rows anyway.
   */
  private static final int MOST_LISTED = 4_096;

  static final String LOCK =
      """
      SELECT digest, key_suffix FROM store.pack WHERE project = $1 AND digest = ANY($2::bytea[])
      ORDER BY id FOR NO KEY UPDATE""";

  static final String SUFFIXES =
      """
      SELECT digest, key_suffix FROM store.pack
      WHERE project = $1 AND digest = ANY($2::bytea[])""";

  static final String LIVE =
      """
      SELECT digest FROM store.pack
      WHERE project = $1 AND digest = ANY($2::bytea[]) AND state = 1""";

  // Waits for a transaction that dooms one of the packs, and then does not return that pack.
  static final String LOCK_LIVE = LIVE + " ORDER BY id FOR KEY SHARE";

  // The chunks of all packs are one parameter, of which each row takes a substring: as a column of
  // the packs it would be copied for each chunk. A doomed pack is not revived: it is missing in the
  // result, and so is a pack without a row whose key a late deletion may still hit. Chunks are
  // believed only for the run's own pack before its verification, which deletes wrong ones: other
  // runs skip the upload of a verified pack's chunks.
  static final String REGISTER =
      """
      WITH given AS MATERIALIZED (
        SELECT * FROM unnest($2::bytea[], $3::bigint[], $4::integer[], $5::integer[], $6::integer[],
          $9::text[]) AS g(digest, size_bytes, index_bytes, start, count, suffix)),
      stored AS (
        INSERT INTO store.pack AS old
          (project, digest, size_bytes, index_bytes, state, run, touched_at, registered_at,
            key_suffix)
        SELECT $1::integer, g.digest, g.size_bytes, g.index_bytes, 1, $7, now(), now(), g.suffix
        FROM given g
        WHERE g.suffix <> ''
          OR EXISTS (SELECT FROM store.pack p WHERE p.project = $1 AND p.digest = g.digest)
          OR NOT EXISTS (
            SELECT FROM store.deleted_pack d WHERE d.project = $1 AND d.digest = g.digest)
        ORDER BY g.digest
        ON CONFLICT (project, digest) DO UPDATE SET
          size_bytes = EXCLUDED.size_bytes,
          index_bytes = CASE WHEN old.verified_at IS NULL OR old.problem IS NOT NULL
            THEN EXCLUDED.index_bytes ELSE old.index_bytes END,
          state = 1,
          touched_at = now(),
          registered_at = coalesce(old.registered_at, now()),
          verified_at = CASE WHEN old.problem IS NULL THEN old.verified_at END,
          problem = NULL,
          suspect_at = NULL
        WHERE old.state <> 2 AND old.key_suffix = EXCLUDED.key_suffix
        RETURNING old.id, old.digest, old.run = $7 AND old.verified_at IS NULL AS believed),
      listed AS (
        INSERT INTO store.chunk (project, digest, pack)
        SELECT $1::integer, substring($8::bytea FROM n * 32 + 1 FOR 32), s.id
        FROM stored s JOIN given g ON g.digest = s.digest
        CROSS JOIN LATERAL generate_series(g.start, g.start + g.count - 1) AS n
        WHERE s.believed
        ON CONFLICT DO NOTHING)
      SELECT digest FROM stored""";

  static final String SUSPECT =
      """
      UPDATE store.pack SET suspect_at = clock_timestamp(), verified_at = NULL, checked_at = NULL
      WHERE id = ANY(ARRAY(
        SELECT p.id FROM store.pack p WHERE p.state = 1 AND p.problem IS NULL AND p.id IN (
          SELECT r.pack FROM store.checkpoint c JOIN store.checkpoint_pack r ON r.checkpoint = c.number
          WHERE c.id = ANY($2::text[]) AND c.run = $1)
        ORDER BY p.id FOR NO KEY UPDATE))""";

  private static final byte[] NONE = {};

  private final Pool pool;
  private final ProjectRepository projects;
  private final BucketClient bucket;

  PackRepository(Pool pool, ProjectRepository projects, BucketClient bucket) {
    this.pool = pool;
    this.projects = projects;
    this.bucket = bucket;
  }

  /** The key of a pack's object without a suffix. */
  public static String key(String project, Hash digest) {
    return new ObjectName(project, ObjectKind.PACK, digest.toString(), 0).key();
  }

  /**
   * The key of a pack's object.
   *
   * @param suffix of the pack's row
   */
  public static String key(String project, Hash digest, String suffix) {
    return key(project, digest) + suffix;
  }

  /**
   * Returns the suffixes of the packs' keys; a pack without a row or without a suffix is missing.
   */
  public Uni<Map<Hash, String>> suffixes(String project, Collection<Hash> digests) {
    return projects
        .number(project)
        .chain(number -> pool.preparedQuery(SUFFIXES).execute(Tuple.of(number, digests(digests))))
        .map(PackRepository::suffixes);
  }

  private static Map<Hash, String> suffixes(Iterable<Row> rows) {
    Map<Hash, String> suffixes = new HashMap<>();
    for (Row row : rows) {
      if (!row.getString(1).isEmpty()) {
        suffixes.put(Hash.read(row.get(Buffer.class, 0).getBytes(), 0), row.getString(1));
      }
    }
    return suffixes;
  }

  /**
   * Makes uploaded packs live. Idempotent.
   *
   * @return fails with REFUSED {@code packs_gone} that names the packs that were collected, and
   *     with INVALID if an object is missing or has another size
   */
  public Uni<Void> register(String run, String project, List<PackRegistration> packs) {
    return packs.isEmpty()
        ? Uni.createFrom().voidItem()
        : suffixes(project, packs.stream().map(PackRegistration::digest).toList())
            .chain(suffixes -> register(run, project, packs, suffixes));
  }

  /**
   * As the other, for packs whose rows may be missing.
   *
   * @param suffixes of the keys of those objects that have one
   */
  public Uni<Void> register(
      String run, String project, List<PackRegistration> packs, Map<Hash, String> suffixes) {
    if (packs.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    if (packs.size() > MOST) {
      return Uni.createFrom()
          .failure(
              StoreRequestException.invalid(
                  packs.size() + " packs in one request, at most " + MOST + " are allowed"));
    }
    Set<Hash> names = new HashSet<>();
    for (PackRegistration pack : packs) {
      if (!names.add(pack.digest())) {
        return Uni.createFrom()
            .failure(
                StoreRequestException.invalid(
                    "pack " + pack.digest() + " occurs twice in the request"));
      }
    }
    return Uni.join()
        .all(packs.stream().map(pack -> look(project, pack, suffixes)).toList())
        .usingConcurrencyOf(LOOKS_AT_ONCE)
        .andFailFast()
        .chain(() -> projects.number(project))
        .chain(number -> pool.withTransaction(tx -> register(tx, number, run, packs, suffixes)))
        .invoke(stored -> requireAll(names, stored))
        .replaceWithVoid();
  }

  private Uni<Void> look(String project, PackRegistration pack, Map<Hash, String> suffixes) {
    return bucket
        .size(key(project, pack.digest(), suffixes.getOrDefault(pack.digest(), "")))
        .invoke(
            size -> {
              if (size.isEmpty() || size.getAsLong() != pack.sizeBytes()) {
                throw StoreRequestException.invalid(
                    "pack %s was registered with %d bytes, but its object %s"
                        .formatted(
                            pack.digest(),
                            pack.sizeBytes(),
                            size.isEmpty() ? "is not there" : "has " + size.getAsLong()));
              }
            })
        .replaceWithVoid();
  }

  /** Registers packs with the keys of their rows; returns those that are live now. */
  public static Uni<Set<Hash>> register(
      SqlConnection tx, int project, String run, List<PackRegistration> packs) {
    Buffer[] digests = digests(packs.stream().map(PackRegistration::digest).toList());
    return tx.preparedQuery(LOCK)
        .execute(Tuple.of(project, digests))
        .map(PackRepository::suffixes)
        .chain(suffixes -> registerLocked(tx, project, run, packs, suffixes));
  }

  /** A pack whose row has another key by now is not registered: nothing is known of its object. */
  private static Uni<Set<Hash>> register(
      SqlConnection tx,
      int project,
      String run,
      List<PackRegistration> packs,
      Map<Hash, String> suffixes) {
    Buffer[] digests = digests(packs.stream().map(PackRegistration::digest).toList());
    return tx.preparedQuery(LOCK)
        .execute(Tuple.of(project, digests))
        .chain(() -> registerLocked(tx, project, run, packs, suffixes));
  }

  private static Uni<Set<Hash>> registerLocked(
      SqlConnection tx,
      int project,
      String run,
      List<PackRegistration> packs,
      Map<Hash, String> suffixes) {
    return tx.preparedQuery(REGISTER)
        .execute(values(project, run, packs, suffixes))
        .map(PackRepository::hashes);
  }

  private static Tuple values(
      int project, String run, List<PackRegistration> packs, Map<Hash, String> suffixes) {
    Integer[] starts = new Integer[packs.size()];
    Integer[] counts = new Integer[packs.size()];
    Buffer chunks = Buffer.buffer();
    boolean listed =
        packs.stream().mapToLong(pack -> pack.chunks().length).sum()
            <= (long) MOST_LISTED * Hash.BYTES;
    for (int i = 0; i < packs.size(); i++) {
      byte[] mine = listed ? packs.get(i).chunks() : NONE;
      starts[i] = chunks.length() / Hash.BYTES;
      counts[i] = mine.length / Hash.BYTES;
      chunks.appendBytes(mine);
    }
    return Tuple.tuple()
        .addValue(project)
        .addValue(digests(packs.stream().map(PackRegistration::digest).toList()))
        .addValue(packs.stream().map(PackRegistration::sizeBytes).toArray(Long[]::new))
        .addValue(packs.stream().map(PackRegistration::indexBytes).toArray(Integer[]::new))
        .addValue(starts)
        .addValue(counts)
        .addValue(run)
        .addValue(chunks)
        .addValue(
            packs.stream()
                .map(pack -> suffixes.getOrDefault(pack.digest(), ""))
                .toArray(String[]::new));
  }

  /**
   * Marks the packs of checkpoints that the run could not restore. Their chunks are not found, and
   * they are stored again when they are uploaded, until the background verification has read them.
   */
  public Uni<Void> suspect(String run, Collection<String> checkpoints) {
    return pool.preparedQuery(SUSPECT)
        .execute(Tuple.tuple().addValue(run).addValue(checkpoints.toArray(String[]::new)))
        .replaceWithVoid();
  }

  /** Returns those of the packs that are live now. */
  public Uni<Set<Hash>> live(int project, Collection<Hash> digests) {
    return pool.preparedQuery(LIVE)
        .execute(Tuple.of(project, digests(digests)))
        .map(PackRepository::hashes);
  }

  /**
   * Locks packs in a transaction, so that they are kept until it ends. Fails with REFUSED {@code
   * packs_gone}.
   */
  public static Uni<Void> lockLive(SqlConnection tx, int project, Collection<Hash> wanted) {
    return tx.preparedQuery(LOCK_LIVE)
        .execute(Tuple.of(project, digests(wanted)))
        .invoke(rows -> requireAll(wanted, hashes(rows)))
        .replaceWithVoid();
  }

  private static void requireAll(Collection<Hash> wanted, Set<Hash> there) {
    List<Hash> gone = wanted.stream().filter(hash -> !there.contains(hash)).distinct().toList();
    if (!gone.isEmpty()) {
      throw StoreRequestException.refused(
          "packs_gone: %s%s: capture all files again"
              .formatted(
                  gone.subList(0, Math.min(gone.size(), 10)),
                  gone.size() > 10 ? " and " + (gone.size() - 10) + " more" : ""));
    }
  }

  /** Converts digests to a statement's parameter. */
  public static Buffer[] digests(Collection<Hash> hashes) {
    return hashes.stream().map(hash -> Buffer.buffer(hash.toBytes())).toArray(Buffer[]::new);
  }

  /** Reads the hashes in the first column. */
  public static Set<Hash> hashes(Iterable<Row> rows) {
    Set<Hash> hashes = new HashSet<>();
    StreamSupport.stream(rows.spliterator(), false)
        .forEach(row -> hashes.add(Hash.read(row.get(Buffer.class, 0).getBytes(), 0)));
    return hashes;
  }
}
