/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the digest of files by device, inode, size, mtime and ctime, so that an unchanged file
 * is not read again. One per tree: each scan keeps only what it saw. In memory, at most a million
 * files. Thread-safe.
 *
 * <p>A file whose ctime is within 50 ms of its reading is not remembered: a write in the same tick
 * of the kernel's clock would leave the same times behind. So a file on a network file system whose
 * clock is ahead is merely read again.
 */
public final class StatCache {
  private static final int MAX_FILES = 1_000_000;
  private static final Duration CLOCK_TICK = Duration.ofMillis(50);

  private record Identity(long device, long inode) {}

  private record Known(long size, Instant mtime, Instant ctime, String sha256) {}

  private final Duration tick;
  private volatile Map<Identity, Known> known = Map.of();

  public StatCache() {
    this(CLOCK_TICK);
  }

  /** A negative tick trusts even a file changed this instant: for tests. */
  StatCache(Duration tick) {
    this.tick = tick;
  }

  Pass begin() {
    return new Pass();
  }

  /** One scan's use of the cache; not thread-safe. */
  final class Pass {
    private final Map<Identity, Known> seen = new HashMap<>();

    @Nullable String lookup(Stat stat) {
      Identity identity = new Identity(stat.device(), stat.inode());
      Known k = known.get(identity);
      if (k == null
          || k.size != stat.size()
          || !k.mtime.equals(stat.mtime())
          || !k.ctime.equals(stat.ctime())) {
        return null;
      }
      remember(identity, k);
      return k.sha256;
    }

    void learn(Stat stat, String sha256, Instant readingBegan) {
      if (stat.ctime().plus(tick).isBefore(readingBegan)) {
        remember(
            new Identity(stat.device(), stat.inode()),
            new Known(stat.size(), stat.mtime(), stat.ctime(), sha256));
      }
    }

    private void remember(Identity identity, Known k) {
      if (seen.size() < MAX_FILES) {
        seen.put(identity, k);
      }
    }

    void commit() {
      known = seen;
    }
  }
}
