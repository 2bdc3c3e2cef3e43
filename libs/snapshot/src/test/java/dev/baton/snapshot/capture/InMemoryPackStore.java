/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.PackIndex;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A store in memory with configurable failures. Thread-safe. */
public final class InMemoryPackStore implements PackStore, PackSource {
  private final Map<PackRef, byte[]> packs = new HashMap<>();
  private final Map<Hash, PackRef> chunks = new HashMap<>();
  private int puts;
  private long bytes;
  private int failing;
  private @Nullable String failure;

  /** Fails the n-th put from now on, and all after it, until {@link #heal}. */
  public synchronized void failFrom(int put, String message) {
    failing = puts + put;
    failure = message;
  }

  public synchronized void heal() {
    failure = null;
  }

  @Override
  public synchronized Map<Hash, PackRef> find(Collection<Hash> wanted) throws IOException {
    if (wanted.size() > MAX_FIND) {
      throw new IOException("%d chunks requested".formatted(wanted.size()));
    }
    Map<Hash, PackRef> found = new HashMap<>();
    for (Hash each : wanted) {
      PackRef pack = chunks.get(each);
      if (pack != null) {
        found.put(each, pack);
      }
    }
    return found;
  }

  @Override
  public void put(Pack pack) throws IOException {
    byte[] copy = Arrays.copyOf(pack.bytes(), pack.length());
    if (!PackIndex.identify(copy, copy.length).equals(pack.ref())) {
      throw new IOException("a pack that differs from its reference");
    }
    synchronized (this) {
      puts++;
      if (failure != null && puts >= failing) {
        throw new IOException(failure);
      }
      if (packs.putIfAbsent(pack.ref(), copy) == null) {
        bytes += copy.length;
      }
      pack.chunks().forEach(chunk -> chunks.putIfAbsent(chunk, pack.ref()));
    }
  }

  @Override
  public synchronized void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException {
    byte[] all = packs.get(pack);
    if (all == null) {
      throw new IOException("no pack " + pack.id());
    }
    System.arraycopy(all, (int) offset, into, 0, length);
  }

  public synchronized int puts() {
    return puts;
  }

  /** Returns the total size of all stored packs. */
  public synchronized long bytes() {
    return bytes;
  }

  public synchronized Set<PackRef> packs() {
    return new HashSet<>(packs.keySet());
  }

  /** Deletes all packs. */
  public synchronized void clear() {
    packs.clear();
    chunks.clear();
  }
}
