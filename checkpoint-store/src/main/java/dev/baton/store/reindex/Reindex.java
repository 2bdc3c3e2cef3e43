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
import dev.baton.store.background.Waits;
import dev.baton.store.checkpoints.Commits;
import dev.baton.store.checkpoints.Keeping;
import dev.baton.store.failure.Problems;
import dev.baton.store.failure.StoreFailure;
import dev.baton.store.gc.BucketToken;
import dev.baton.store.logs.LogChunks;
import dev.baton.store.logs.LogName;
import dev.baton.store.objects.Bucket;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.Packs;
import dev.baton.store.packs.Projects;
import dev.baton.store.packs.ToldPack;
import dev.baton.store.verify.PackFile;
import io.minio.messages.Item;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Goes through the manifests in the bucket and adds what Postgres lacks: packs, out of their own
 * indexes, then the checkpoint. What it adds is verified again like any upload. Adds, never
 * removes; may be repeated. Blocks.
 */
@ApplicationScoped
public class Reindex {
  private static final Logger LOG = Logger.getLogger(Reindex.class);
  private static final int MOST_PROBLEMS = 1_000;

  static final String THERE = "SELECT id FROM store.checkpoint WHERE id = $1";

  /**
   * @param packs rows added
   * @param problems objects that cannot be used, and why
   */
  public record Report(
      long packs, long chunks, long checkpoints, List<String> problems, long logChunks) {}

  private final Pool pool;
  private final Bucket bucket;
  private final Projects projects;
  private final Packs packs;
  private final Commits commits;
  private final Keeping keeping;
  private final LogChunks logs;
  private final BucketToken token;

  Reindex(
      Pool pool,
      Bucket bucket,
      Projects projects,
      Packs packs,
      Commits commits,
      Keeping keeping,
      LogChunks logs,
      BucketToken token) {
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
   * @param only this project; empty: all, after which this database is taken to know the bucket
   */
  public Report run(String only) {
    String prefix = only.isEmpty() ? "" : CheckpointName.prefix(ObjectName.project(only));
    Tally tally = new Tally();
    for (Item object : bucket.list(prefix)) {
      CheckpointName.ofManifest(object.objectName()).ifPresent(tally::take);
    }
    String logPrefix = only.isEmpty() ? "" : LogName.projectPrefix(ObjectName.project(only));
    for (Item object : bucket.list(logPrefix)) {
      LogName.ofKey(object.objectName()).ifPresent(name -> tally.take(name, object.size()));
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
   * A checkpoint whose packs are in the bucket, of which nothing else is known. May be repeated.
   *
   * @param bytes its manifest
   * @throws IOException where a pack cannot be read
   * @throws IllegalArgumentException where it is no manifest
   */
  public void add(byte[] bytes) throws IOException {
    new Tally().add(ManifestCodec.read(bytes), bytes);
  }

  /** Goes from manifest to manifest. */
  private final class Tally {
    private final List<String> problems = new ArrayList<>();
    private long packCount;
    private long chunkCount;
    private long checkpointCount;
    private long logCount;

    Report report() {
      return new Report(packCount, chunkCount, checkpointCount, problems, logCount);
    }

    void take(CheckpointName name) {
      try {
        if (isThere(name.id())) {
          return;
        }
        byte[] bytes = read(name.manifestKey());
        Manifest manifest = ManifestCodec.read(bytes);
        if (!name.equals(
            new CheckpointName(manifest.run().project(), manifest.sessionId(), manifest.id()))) {
          throw StoreFailure.invalid("it is the manifest of another checkpoint");
        }
        add(manifest, bytes);
        pin(name);
        checkpointCount++;
      } catch (IllegalArgumentException | IOException e) {
        problem(name.manifestKey(), e);
      } catch (StoreFailure e) {
        if (e.kind() == StoreFailure.Kind.UNAVAILABLE) {
          throw e;
        }
        problem(name.manifestKey(), e);
      }
    }

    void take(LogName name, long size) {
      try {
        if (logs.reindex(name, size)) {
          logCount++;
        }
      } catch (IOException e) {
        problem(name.key(), e);
      } catch (StoreFailure e) {
        if (e.kind() == StoreFailure.Kind.UNAVAILABLE) {
          throw e;
        }
        problem(name.key(), e);
      }
    }

    private void add(Manifest manifest, byte[] bytes) throws IOException {
      addPacks(manifest);
      Waits.get(
          commits.commit(manifest.sessionId(), 0, manifest.run().project(), bytes, List.of()));
    }

    private void problem(String key, Exception e) {
      if (problems.size() < MOST_PROBLEMS) {
        problems.add(key + ": " + Problems.words(e));
      }
    }

    private void addPacks(Manifest manifest) throws IOException {
      String project = manifest.run().project();
      Set<Hash> live = live(project, manifest);
      List<ToldPack> missing = new ArrayList<>();
      for (Manifest.Pack pack : manifest.workspace().packs()) {
        Hash digest = Hash.parse(pack.digest());
        if (!live.contains(digest)) {
          missing.add(told(project, digest, pack));
          chunkCount += missing.getLast().chunks().length / Hash.BYTES;
          packCount++;
        }
        if (missing.size() == Packs.MOST) {
          Waits.get(packs.register(manifest.sessionId(), project, missing));
          missing.clear();
        }
      }
      Waits.get(packs.register(manifest.sessionId(), project, missing));
    }
  }

  private boolean isThere(String id) {
    return Waits.get(pool.preparedQuery(THERE).execute(Tuple.of(id))).size() > 0;
  }

  private Set<Hash> live(String project, Manifest manifest) {
    int number = Waits.get(projects.number(project));
    List<Hash> named =
        manifest.workspace().packs().stream().map(pack -> Hash.parse(pack.digest())).toList();
    return Waits.get(packs.live(number, named));
  }

  private ToldPack told(String project, Hash digest, Manifest.Pack pack) throws IOException {
    try {
      PackIndex index = PackFile.index(bucket, Packs.key(project, digest), pack.sizeBytes());
      return new ToldPack(digest, pack.sizeBytes(), pack.indexBytes(), PackFile.hashes(index));
    } catch (SnapshotException e) {
      throw new IOException("pack " + digest + ": " + e.getMessage(), e);
    }
  }

  private byte[] read(String key) throws IOException {
    try (InputStream in = bucket.open(key, 0, null)) {
      return in.readNBytes(ManifestCodec.LARGEST + 1);
    }
  }

  private void pin(CheckpointName name) throws IOException {
    try {
      Keeping.Pin pin = Json.mapper().readValue(read(name.pinKey()), Keeping.Pin.class);
      Waits.get(keeping.pin(name.id(), pin.by(), pin.reason()));
    } catch (StoreFailure e) {
      if (e.kind() != StoreFailure.Kind.NOT_FOUND) {
        throw e;
      }
    }
  }
}
