/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.FoundPack;
import dev.baton.protocol.grpc.NewPack;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.Hash;
import dev.baton.transfer.ChunkPlaceDecoder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Uploads a run's packs and creates checkpoints from them. Registers packs with the store together
 * with the next checkpoint, or earlier if they contain many chunks. Every call is retried until the
 * timeout. Blocking; thread-safe.
 */
final class RunPackStore implements PackStore {
  /** A message with this many chunks stays below 1 MB. */
  private static final int MOST_UNREGISTERED = 20_000;

  /** How long the store is not queried again for a project in which it has no chunks. */
  private static final long NOTHING_NANOS = Duration.ofSeconds(30).toNanos();

  private final RunnerStoreClient store;
  private final StoreCaller holder;
  private final Duration patience;
  private final List<NewPack> unregistered = new ArrayList<>();
  private int unregisteredChunks;
  private boolean registering;
  private volatile @Nullable Long foundNothingAt;

  RunPackStore(RunnerStoreClient store, StoreCaller holder, Duration patience) {
    this.store = store;
    this.holder = holder;
    this.patience = patience;
  }

  @Override
  public Map<Hash, PackRef> find(Collection<Hash> chunks) throws IOException, InterruptedException {
    Long since = foundNothingAt;
    if (since != null && System.nanoTime() - since < NOTHING_NANOS) {
      return Map.of();
    }
    byte[] digests = Hash.concat(chunks);
    FindChunksResponse found = patiently(() -> store.find(holder, digests));
    foundNothingAt = found.getNothing() ? (Long) System.nanoTime() : null;
    List<PackRef> packs = found.getPacksList().stream().map(RunPackStore::ref).toList();
    return ChunkPlaceDecoder.decode(chunks, found.getPlacesList(), packs);
  }

  private static PackRef ref(FoundPack pack) {
    return new PackRef(
        Hash.read(pack.getDigest().toByteArray(), 0), pack.getSizeBytes(), pack.getIndexBytes());
  }

  @Override
  public void put(Pack pack) throws IOException, InterruptedException {
    patiently(
        () -> {
          try {
            store.upload(
                holder,
                ObjectKind.OBJECT_KIND_PACK,
                pack.ref().id().toString(),
                pack.bytes(),
                pack.length());
            return pack;
          } catch (IOException e) {
            throw new StoreException("pack " + pack.ref().id() + ": " + e.getMessage(), true);
          }
        });
    List<NewPack> many = add(message(pack), pack.chunks().size());
    if (!many.isEmpty()) {
      register(many);
    }
  }

  private void register(List<NewPack> many) throws IOException, InterruptedException {
    try {
      patiently(
          () -> {
            store.register(holder, many);
            return many;
          });
      remove(many);
    } finally {
      synchronized (this) {
        registering = false;
      }
    }
  }

  /** Creates a checkpoint whose packs are uploaded. */
  void commit(byte[] manifest) throws IOException, InterruptedException {
    List<NewPack> packs = unregistered();
    patiently(
        () -> {
          store.commit(holder, manifest, packs);
          return packs;
        });
    remove(packs);
  }

  /** Returns the packs that the caller must register now. */
  private synchronized List<NewPack> add(NewPack pack, int chunks) {
    unregistered.add(pack);
    unregisteredChunks += chunks;
    if (registering || unregisteredChunks <= MOST_UNREGISTERED) {
      return List.of();
    }
    registering = true;
    return List.copyOf(unregistered);
  }

  private synchronized List<NewPack> unregistered() {
    return List.copyOf(unregistered);
  }

  private synchronized void remove(List<NewPack> told) {
    unregistered.removeAll(told);
    unregisteredChunks =
        unregistered.stream().mapToInt(pack -> pack.getChunks().size() / Hash.BYTES).sum();
  }

  /** Forgets all packs, which are no longer usable. */
  synchronized void forget() {
    unregistered.clear();
    unregisteredChunks = 0;
  }

  private static NewPack message(Pack pack) {
    return NewPack.newBuilder()
        .setDigest(ByteString.copyFrom(pack.ref().id().toBytes()))
        .setSizeBytes(pack.ref().size())
        .setIndexBytes(pack.ref().indexBytes())
        .setChunks(UnsafeByteOperations.unsafeWrap(Hash.concat(pack.chunks())))
        .build();
  }

  private <T> T patiently(StoreCallRetrier.Call<T> call) throws IOException, InterruptedException {
    try {
      return StoreCallRetrier.until(patience, call);
    } catch (StoreException e) {
      throw new WrappedStoreException(e);
    }
  }
}
