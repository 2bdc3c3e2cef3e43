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
 * Keeps the values of outputs by their digests, those used longest ago going first. Bounded by
 * their size; the newest stays however large it is. Thread-safe.
 */
public final class OutputCache {
  /** What all runs of this process share: so many bytes of JSON. */
  public static final OutputCache SHARED = new OutputCache(12L << 20);

  /** A value as large as this is worth a download; a smaller one is kept as if it had it. */
  private static final long LEAST = 512;

  private record Kept(JsonNode value, long size) {}

  private final long most;
  private final Map<String, Kept> byDigest = new LinkedHashMap<>(16, 0.75f, true);
  private long size;

  /**
   * @param most bytes of JSON; as objects in memory they take up to a few times as much
   */
  public OutputCache(long most) {
    this.most = most;
  }

  synchronized Optional<JsonNode> find(String digest) {
    return Optional.ofNullable(byDigest.get(digest)).map(Kept::value);
  }

  /** The value of an output by reference, where it is kept. */
  public Optional<JsonNode> find(Output.Ref output) {
    return find(output.digest());
  }

  /** Keeps a value; it is not to be changed from now on. */
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

  /** Bytes of JSON that are kept. */
  public synchronized long size() {
    return size;
  }
}
