/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.reindex;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import dev.baton.store.checkpoints.CheckpointCommitter;
import dev.baton.store.checkpoints.CheckpointPinService;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.gc.BucketTokenGuard;
import dev.baton.store.logs.LogChunkName;
import dev.baton.store.logs.LogChunkService;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.objects.ManifestCompressor;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.PackRegistration;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.packs.ProjectRepository;
import dev.baton.store.scheduling.Await;
import dev.baton.store.verify.PackFileReader;
import io.minio.messages.Item;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Restores missing Postgres rows from the manifests in the bucket: first the packs, from their own
 * indexes, then the checkpoint. Restored rows are verified again like any upload. Only adds rows,
 * never removes any. Idempotent. Blocks.
 */
@ApplicationScoped
public class BucketReindexer {
  private static final Logger LOG = Logger.getLogger(BucketReindexer.class);
  private static final int MOST_PROBLEMS = 1_000;

  static final String THERE = "SELECT id FROM store.checkpoint WHERE id = $1";

  /**
   * @param packs rows added
   * @param problems objects that cannot be used, each with the reason
   */
  public record Report(
      long packs, long chunks, long checkpoints, List<String> problems, long logChunks) {}

  private final Pool pool;
  private final BucketClient bucket;
  private final ProjectRepository projects;
  private final PackRepository packs;
  private final CheckpointCommitter commits;
  private final CheckpointPinService keeping;
  private final LogChunkService logs;
  private final BucketTokenGuard token;

  BucketReindexer(
      Pool pool,
      BucketClient bucket,
      ProjectRepository projects,
      PackRepository packs,
      CheckpointCommitter commits,
      CheckpointPinService keeping,
      LogChunkService logs,
      BucketTokenGuard token) {
    this.pool = pool;
    this.bucket = bucket;
    this.projects = projects;
    this.packs = packs;
    this.commits = commits;
    this.keeping = keeping;
    this.logs = logs;
    this.token = token;
  }

  /**
   * @param only this project; empty for all, after which this database counts as complete for the
   *     bucket
   */
  public Report run(String only) {
    String prefix = only.isEmpty() ? "" : CheckpointName.prefix(ObjectName.project(only));
    Tally tally = new Tally();
    // The keys of one checkpoint follow one another.
    Optional<CheckpointName> current = Optional.empty();
    List<String> keys = new ArrayList<>();
    for (Item object : bucket.list(prefix)) {
      Optional<CheckpointName> next = CheckpointName.ofManifest(object.objectName());
      if (next.isPresent()) {
        if (!next.equals(current)) {
          current.ifPresent(name -> tally.take(name, keys));
          keys.clear();
          current = next;
        }
        keys.add(object.objectName());
      }
    }
    current.ifPresent(name -> tally.take(name, keys));
    String logPrefix = only.isEmpty() ? "" : LogChunkName.projectPrefix(ObjectName.project(only));
    for (Item object : bucket.list(logPrefix)) {
      LogChunkName.ofKey(object.objectName()).ifPresent(name -> tally.take(name, object.size()));
    }
    if (only.isEmpty()) {
      token.adopt();
    }
    Report report = tally.report();
    LOG.infof(
        "reindex added %d checkpoints and %d packs with %d chunks, and %d chunks of logs; problems: %s",
        report.checkpoints(),
        report.packs(),
        report.chunks(),
        report.logChunks(),
        report.problems());
    return report;
  }

  /**
   * Adds a checkpoint whose packs are in the bucket, from its manifest alone. Idempotent.
   *
   * @param bytes its manifest
   * @throws IOException if a pack cannot be read
   * @throws IllegalArgumentException if the bytes are not a manifest
   */
  public void add(byte[] bytes) throws IOException {
    new Tally().add(ManifestCodec.read(bytes), bytes);
  }

  /** Processes one manifest after the other and counts the results. */
  private final class Tally {
    private final List<String> problems = new ArrayList<>();
    private long packCount;
    private long chunkCount;
    private long checkpointCount;
    private long logCount;

    Report report() {
      return new Report(packCount, chunkCount, checkpointCount, problems, logCount);
    }

    /**
     * @param keys of the checkpoint's manifests. One with a digest was written for a committed row;
     *     one without may be an attempt's of an earlier version, so it counts only if it is alone
     */
    void take(CheckpointName name, List<String> keys) {
      List<String> named = new ArrayList<>(keys);
      if (keys.size() > 1) {
        named.remove(name.formerManifestKey());
      }
      try {
        if (isThere(name.id())) {
          return;
        }
        byte[] bytes = named.size() == 1 ? manifest(name, named.getFirst()) : newest(name, named);
        add(ManifestCodec.read(bytes), bytes);
        pin(name);
        checkpointCount++;
      } catch (IllegalArgumentException | IOException e) {
        problem(named.getFirst(), e);
      } catch (StoreRequestException e) {
        if (e.kind() == StoreRequestException.Kind.UNAVAILABLE) {
          throw e;
        }
        problem(named.getFirst(), e);
      }
    }

    /**
     * Returns the youngest of several manifests: the id was committed again after its deletion, and
     * a late upload of the deleted one has arrived since.
     */
    private byte[] newest(CheckpointName name, List<String> keys) throws IOException {
      byte[] newest = manifest(name, keys.getFirst());
      for (String key : keys.subList(1, keys.size())) {
        byte[] bytes = manifest(name, key);
        if (ManifestCodec.read(bytes).createdAt().isAfter(ManifestCodec.read(newest).createdAt())) {
          newest = bytes;
        }
      }
      return newest;
    }

    private byte[] manifest(CheckpointName name, String key) throws IOException {
      byte[] bytes = read(key);
      if (!key.equals(name.formerManifestKey()) && !key.equals(name.manifestKey(bytes))) {
        throw StoreRequestException.invalid("its bytes do not have the digest in its key");
      }
      Manifest manifest = ManifestCodec.read(bytes);
      if (!name.equals(
          new CheckpointName(manifest.run().project(), manifest.sessionId(), manifest.id()))) {
        throw StoreRequestException.invalid("it is the manifest of another checkpoint");
      }
      return bytes;
    }

    void take(LogChunkName name, long size) {
      try {
        if (logs.reindex(name, size)) {
          logCount++;
        }
      } catch (IOException e) {
        problem(name.key(), e);
      } catch (StoreRequestException e) {
        if (e.kind() == StoreRequestException.Kind.UNAVAILABLE) {
          throw e;
        }
        problem(name.key(), e);
      }
    }

    private void add(Manifest manifest, byte[] bytes) throws IOException {
      addPacks(manifest);
      Await.get(
          commits.commit(manifest.sessionId(), 0, manifest.run().project(), bytes, List.of()));
    }

    private void problem(String key, Exception e) {
      if (problems.size() < MOST_PROBLEMS) {
        problems.add(key + ": " + FailureTranslator.words(e));
      }
    }

    private void addPacks(Manifest manifest) throws IOException {
      String project = manifest.run().project();
      Set<Hash> live = live(project, manifest);
      List<PackRegistration> missing = new ArrayList<>();
      Map<Hash, String> suffixes = new HashMap<>();
      for (Manifest.Pack pack : manifest.workspace().packs()) {
        Hash digest = Hash.parse(pack.digest());
        if (!live.contains(digest)) {
          String suffix = suffix(project, digest, pack.sizeBytes());
          suffixes.put(digest, suffix);
          missing.add(registration(PackRepository.key(project, digest, suffix), digest, pack));
          chunkCount += missing.getLast().chunks().length / Hash.BYTES;
          packCount++;
        }
        if (missing.size() == PackRepository.MOST) {
          Await.get(packs.register(manifest.sessionId(), project, missing, suffixes));
          missing.clear();
        }
      }
      Await.get(packs.register(manifest.sessionId(), project, missing, suffixes));
    }
  }

  private boolean isThere(String id) {
    return Await.get(pool.preparedQuery(THERE).execute(Tuple.of(id))).size() > 0;
  }

  private Set<Hash> live(String project, Manifest manifest) {
    int number = Await.get(projects.number(project));
    List<Hash> named =
        manifest.workspace().packs().stream().map(pack -> Hash.parse(pack.digest())).toList();
    return Await.get(packs.live(number, named));
  }

  /** Returns the suffix of a key with which the bucket has the pack; empty if it has none. */
  private String suffix(String project, Hash digest, long size) {
    String plain = PackRepository.key(project, digest);
    String suffix = "";
    for (Item object : bucket.list(plain)) {
      if (object.size() == size) {
        suffix = object.objectName().substring(plain.length());
      }
    }
    return suffix;
  }

  private PackRegistration registration(String key, Hash digest, Manifest.Pack pack)
      throws IOException {
    try {
      PackIndex index = PackFileReader.index(bucket, key, pack.sizeBytes());
      return new PackRegistration(
          digest, pack.sizeBytes(), pack.indexBytes(), PackFileReader.hashes(index));
    } catch (SnapshotException e) {
      throw new IOException("pack " + digest + ": " + e.getMessage(), e);
    }
  }

  private byte[] read(String key) throws IOException {
    try (InputStream in = bucket.open(key, 0, null)) {
      return ManifestCompressor.read(in);
    }
  }

  private void pin(CheckpointName name) throws IOException {
    try {
      CheckpointPinService.Pin pin =
          Json.mapper().readValue(read(name.pinKey()), CheckpointPinService.Pin.class);
      Await.get(keeping.pin(name.id(), pin.by(), pin.reason()));
    } catch (StoreRequestException e) {
      if (e.kind() != StoreRequestException.Kind.NOT_FOUND) {
        throw e;
      }
    }
  }
}
