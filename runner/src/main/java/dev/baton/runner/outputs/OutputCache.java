/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.outputs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.Output;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Caches output values by digest and evicts the least recently used first. Limited by their total
 * size; the newest value is kept regardless of its size. Thread-safe.
 */
public final class OutputCache {
  /** Shared by all runs of this process; 12 MiB of JSON. */
  public static final OutputCache SHARED = new OutputCache(12L << 20);

  /** Minimum size counted for a value, in bytes: a value of this size is worth a download. */
  private static final long LEAST = 512;

  private record Kept(JsonNode value, long size) {}

  private final long most;
  private final Map<String, Kept> byDigest = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  /**
   * @param most limit in bytes of JSON; as objects in memory they need up to a few times as much
   */
  public OutputCache(long most) {
    this.most = most;
  }

  synchronized Optional<JsonNode> find(String digest) {
    return Optional.ofNullable(byDigest.get(digest)).map(Kept::value);
  }

  /** Returns the value of an output by reference, if it is cached. */
  public Optional<JsonNode> find(Output.Ref output) {
    return find(output.digest());
  }

  /** Caches a value, which must not be changed afterwards. */
  public synchronized void put(Output.Ref output, JsonNode value) {
    long of = Math.max(LEAST, output.parts() == null ? output.sizeBytes() : 64L * output.parts());
    Kept before = byDigest.put(output.digest(), new Kept(value, of));
    size += of - (before == null ? 0 : before.size());
    Iterator<Kept> oldest = byDigest.values().iterator();
    while (size > most && byDigest.size() > 1) {
      size -= oldest.next().size();
      oldest.remove();
    }
  }

  /** Returns the size of the cached values in bytes of JSON. */
  public synchronized long size() {
    return size;
  }
}
