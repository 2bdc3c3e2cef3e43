/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.Cut;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Hash;
import dev.baton.transfer.PresignedPackSource;
import dev.baton.transfer.TransferException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a checkpoint's packs from the object store. Blocking; thread-safe. */
final class CheckpointPackSource implements PackSource {
  private final String checkpoint;
  private final Snapshot snapshot;
  private final Optional<Path> seenAt;
  private final Optional<Snapshot> agent;
  private final PresignedPackSource packs;
  private volatile @Nullable StoreException damage;

  private CheckpointPackSource(
      RunnerStoreClient store,
      StoreCaller holder,
      String checkpoint,
      Duration patience,
      OpenCheckpointResponse opened) {
    this.checkpoint = checkpoint;
    Manifest manifest = ManifestCodec.read(opened.getManifest().toByteArray());
    Manifest.Workspace workspace = manifest.workspace();
    agent = Optional.ofNullable(manifest.agent()).map(CheckpointPackSource::snapshot);
    seenAt = Optional.ofNullable(workspace.seenAt()).map(Path::of);
    snapshot =
        new Snapshot(
            Hash.parse(workspace.digest()),
            workspace.packs().stream().map(CheckpointPackSource::ref).toList(),
            workspace.sizeBytes(),
            workspace.fileCount());
    packs =
        new PresignedPackSource(
            store.objects(),
            urls(opened),
            () -> renewed(store, holder),
            () -> StoreCallRetrier.budget(patience));
  }

  /** Returns where the steps before the checkpoint saw the files. */
  Optional<Path> seenAt() {
    return seenAt;
  }

  /**
   * @param patience how long each call is retried
   * @throws StoreException when the checkpoint does not exist, or the time is over
   * @throws IllegalArgumentException when its manifest cannot be read
   */
  static CheckpointPackSource open(
      RunnerStoreClient store, StoreCaller holder, String checkpoint, Duration patience)
      throws StoreException, InterruptedException {
    OpenCheckpointResponse opened =
        StoreCallRetrier.until(patience, () -> store.open(holder, checkpoint));
    return new CheckpointPackSource(store, holder, checkpoint, patience, opened);
  }

  /**
   * Opens the checkpoint of a cut.
   *
   * @throws DamagedCheckpointException when it is gone, or its manifest cannot be read
   */
  static CheckpointPackSource openCut(
      RunnerStoreClient store, StoreCaller holder, Cut cut, String checkpoint, Duration patience)
      throws StoreException, InterruptedException {
    try {
      return open(store, holder, checkpoint, patience);
    } catch (StoreException e) {
      if (e.isCheckpointGone()) {
        throw new DamagedCheckpointException(cut, String.valueOf(e.getMessage()), e);
      }
      throw e;
    } catch (IllegalArgumentException e) {
      throw new DamagedCheckpointException(
          cut, "checkpoint %s: %s".formatted(checkpoint, e.getMessage()), e);
    }
  }

  Snapshot snapshot() {
    return snapshot;
  }

  /** Returns the state of the agent at the same instant; empty where it has none. */
  Optional<Snapshot> agent() {
    return agent;
  }

  private static Snapshot snapshot(Manifest.Agent state) {
    return new Snapshot(
        Hash.parse(state.digest()),
        state.packs().stream().map(CheckpointPackSource::ref).toList(),
        state.sizeBytes(),
        state.fileCount());
  }

  /**
   * Whether a failure of {@link #read} is final: a pack does not exist or has another size, or the
   * checkpoint has been deleted since.
   */
  boolean isDamaged(StoreException failure) {
    return failure == damage || failure.isCheckpointGone();
  }

  @Override
  public void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    try {
      packs.read(pack, offset, into, length);
    } catch (WrappedStoreException e) {
      throw e;
    } catch (IOException e) {
      boolean temporary = !(e instanceof TransferException known) || known.isTemporary();
      StoreException failure =
          new StoreException(
              "checkpoint %s: pack %s: %s".formatted(checkpoint, pack.id(), e.getMessage()),
              temporary);
      if (!temporary) {
        damage = failure;
      }
      throw new WrappedStoreException(failure);
    }
  }

  private Map<Hash, String> renewed(RunnerStoreClient store, StoreCaller holder)
      throws IOException, InterruptedException {
    try {
      return urls(store.open(holder, checkpoint));
    } catch (StoreException e) {
      throw new WrappedStoreException(e);
    }
  }

  private static Map<Hash, String> urls(OpenCheckpointResponse opened) {
    Map<Hash, String> urls = new HashMap<>();
    for (OpenPack pack : opened.getPacksList()) {
      urls.put(Hash.read(pack.getDigest().toByteArray(), 0), pack.getGetUrl());
    }
    return urls;
  }

  private static PackRef ref(Manifest.Pack pack) {
    return new PackRef(Hash.parse(pack.digest()), pack.sizeBytes(), pack.indexBytes());
  }
}
