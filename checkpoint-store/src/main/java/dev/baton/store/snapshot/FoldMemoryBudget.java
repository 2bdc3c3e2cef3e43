/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.StoreRequestException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory of all snapshots that are folded at the same time. Refuses a snapshot that does
 * not fit: it would end the process, and with it the work for all other runs. Thread-safe.
 */
@ApplicationScoped
class FoldMemoryBudget {
  private final long most;
  private final AtomicLong taken = new AtomicLong();

  @Inject
  FoldMemoryBudget(StoreConfig config) {
    this(config.snapshot().maxBytes());
  }

  FoldMemoryBudget(long most) {
    this.most = most;
  }

  /** The share of one snapshot. Not thread-safe. */
  final class Share {
    private final String run;
    private long bytes;

    private Share(String run) {
      this.run = run;
    }

    /**
     * @throws StoreRequestException if the budget has no room for this many bytes
     */
    void grow(long to) {
      if (to > most) {
        throw StoreRequestException.exhausted(
            "state_too_large: the state of run %s has %d bytes or more, baton.snapshot.max-bytes is %d"
                .formatted(run, to, most));
      }
      long more = to - bytes;
      if (taken.addAndGet(more) > most && more > 0) {
        taken.addAndGet(-more);
        throw StoreRequestException.exhausted(
            "no memory for the %d bytes of run %s while other runs are folded; retry soon"
                .formatted(to, run));
      }
      bytes = to;
    }

    void release() {
      taken.addAndGet(-bytes);
      bytes = 0;
    }
  }

  Share share(String run) {
    return new Share(run);
  }

  long taken() {
    return taken.get();
  }
}
