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
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a checkpoint's packs from the object store. Blocking; thread-safe. */
final class CheckpointPackSource implements PackSource {
  private final RunnerStoreClient store;
  private final StoreCaller holder;
  private final String checkpoint;
  private final Duration patience;
  private final Snapshot snapshot;
  private final Optional<Path> seenAt;
  private volatile Map<Hash, String> addresses;

  private CheckpointPackSource(
      RunnerStoreClient store,
      StoreCaller holder,
      String checkpoint,
      Duration patience,
      OpenCheckpointResponse opened) {
    this.store = store;
    this.holder = holder;
    this.checkpoint = checkpoint;
    this.patience = patience;
    Manifest.Workspace workspace =
        ManifestCodec.read(opened.getManifest().toByteArray()).workspace();
    seenAt = Optional.ofNullable(workspace.seenAt()).map(Path::of);
    snapshot =
        new Snapshot(
            Hash.parse(workspace.digest()),
            workspace.packs().stream().map(CheckpointPackSource::ref).toList(),
            workspace.sizeBytes(),
            workspace.fileCount());
    addresses = addresses(opened.getPacksList());
  }

  /** Returns where the steps before the checkpoint saw the files. */
  Optional<Path> seenAt() {
    return seenAt;
  }

  /**
   * @param patience how long each call is retried
   * @throws StoreException when the checkpoint does not exist, or the time is over
   */
  static CheckpointPackSource open(
      RunnerStoreClient store, StoreCaller holder, String checkpoint, Duration patience)
      throws StoreException, InterruptedException {
    OpenCheckpointResponse opened =
        StoreCallRetrier.until(patience, () -> store.open(holder, checkpoint));
    try {
      return new CheckpointPackSource(store, holder, checkpoint, patience, opened);
    } catch (IllegalArgumentException e) {
      throw new StoreException("checkpoint " + checkpoint + ": " + e.getMessage(), false);
    }
  }

  Snapshot snapshot() {
    return snapshot;
  }

  @Override
  public void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    try {
      InterruptibleExecutor.call(
          () -> StoreCallRetrier.until(patience, () -> readOnce(pack, offset, into, length)));
    } catch (StoreException e) {
      throw new WrappedStoreException(e);
    }
  }

  private byte[] readOnce(PackRef pack, long offset, byte[] into, int length)
      throws StoreException, InterruptedException {
    String address = addresses.get(pack.id());
    if (address == null) {
      throw new StoreException(
          "checkpoint %s: the store returned no URL for pack %s".formatted(checkpoint, pack.id()),
          false);
    }
    try {
      PresignedObjectClient.get(address, offset, into, length);
      return into;
    } catch (ObjectRefusedException e) {
      if (e.isAbsent()) {
        throw new StoreException(
            "checkpoint %s: pack %s does not exist".formatted(checkpoint, pack.id()), false);
      }
      addresses = addresses(store.open(holder, checkpoint).getPacksList());
      throw new StoreException("pack " + pack.id() + ": " + e.getMessage(), true);
    } catch (IOException e) {
      throw new StoreException("pack " + pack.id() + ": " + e.getMessage(), true);
    }
  }

  private static Map<Hash, String> addresses(List<OpenPack> packs) {
    Map<Hash, String> addresses = new HashMap<>();
    packs.forEach(
        pack -> addresses.put(Hash.read(pack.getDigest().toByteArray(), 0), pack.getGetUrl()));
    return addresses;
  }

  private static PackRef ref(Manifest.Pack pack) {
    return new PackRef(Hash.parse(pack.digest()), pack.sizeBytes(), pack.indexBytes());
  }
}
