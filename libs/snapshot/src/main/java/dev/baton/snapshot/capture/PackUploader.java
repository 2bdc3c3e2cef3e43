/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.CompressedBlock;
import dev.baton.snapshot.format.PackWriter;
import dev.baton.snapshot.threads.ThreadJoiner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Collects blocks into packs and uploads them in the background: at most {@value #AT_ONCE} at once,
 * each up to 16 MiB in memory; a caller that fills another pack waits. Thread-safe. Single use:
 * {@link #finish}, or else {@link #abandon}.
 */
final class PackUploader {
  private static final int AT_ONCE = 2;

  private final PackStore store;
  private final KnownChunkIndex known;
  private final PackWriter packs = new PackWriter();
  private final ReentrantLock filling = new ReentrantLock();
  private final Semaphore room = new Semaphore(AT_ONCE);
  private final Queue<byte[]> arrays = new ConcurrentLinkedQueue<>();
  private final List<Thread> senders = new ArrayList<>();
  private long bytes;
  private volatile @Nullable Throwable failure;

  PackUploader(PackStore store, KnownChunkIndex known) {
    this.store = store;
    this.known = known;
  }

  /**
   * @throws IOException if a pack could not be uploaded
   */
  void add(CompressedBlock block) throws IOException, InterruptedException {
    check();
    // Held while a full pack waits for an upload slot: so at most one pack waits.
    filling.lockInterruptibly();
    try {
      byte[] free = arrays.poll();
      if (free != null) {
        packs.reuse(free);
      }
      Pack full = packs.append(block);
      if (full != null) {
        send(full);
      }
    } finally {
      filling.unlock();
    }
  }

  /**
   * Uploads the pack that is being filled unless it is small, in parallel to the creation of the
   * last blocks.
   */
  void sendLarge() throws IOException, InterruptedException {
    check();
    filling.lockInterruptibly();
    try {
      Pack pack = packs.length() < StoredTreeIndex.SMALL ? null : packs.finish();
      if (pack != null) {
        send(pack);
      }
    } finally {
      filling.unlock();
    }
  }

  /** Uploads the last pack and returns when the store has all packs. */
  void finish() throws IOException, InterruptedException {
    Pack last;
    filling.lockInterruptibly();
    try {
      last = packs.finish();
    } finally {
      filling.unlock();
    }
    if (last != null && isFirst()) {
      // Most captures are one small pack: uploading it in this thread is the fastest.
      put(last);
    } else if (last != null) {
      send(last);
    }
    for (Thread sender : senders()) {
      sender.join();
    }
    check();
  }

  /** Interrupts all uploads and waits until they have ended. */
  void abandon() {
    senders().forEach(Thread::interrupt);
    ThreadJoiner.join(senders());
  }

  /** Returns the total size of the packs that are stored. */
  synchronized long bytes() {
    return bytes;
  }

  private synchronized boolean isFirst() {
    return senders.isEmpty();
  }

  private synchronized List<Thread> senders() {
    return List.copyOf(senders);
  }

  private void send(Pack pack) throws IOException, InterruptedException {
    room.acquire();
    boolean started = false;
    try {
      check();
      synchronized (this) {
        senders.removeIf(sender -> !sender.isAlive());
        senders.add(Thread.ofVirtual().name("pack").start(() -> putOrFail(pack)));
      }
      started = true;
    } finally {
      if (!started) {
        room.release();
      }
    }
  }

  private void putOrFail(Pack pack) {
    try {
      put(pack);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      synchronized (this) {
        if (failure == null) {
          failure = e;
        }
      }
    } finally {
      room.release();
    }
  }

  private void put(Pack pack) throws IOException, InterruptedException {
    store.put(pack);
    known.stored(pack);
    arrays.add(pack.bytes());
    synchronized (this) {
      bytes += pack.length();
    }
  }

  private void check() throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IOException("a pack could not be uploaded: " + e, e);
    }
  }
}
