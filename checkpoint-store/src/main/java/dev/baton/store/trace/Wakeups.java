/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Wakes those who wait for events of a run as soon as this process has stored some. Only a hint:
 * another replica may store them, so every wait has an end, after which Postgres is asked again.
 * Thread-safe.
 */
@ApplicationScoped
public class Wakeups {
  private final Map<String, Set<Waiter>> waiting = new ConcurrentHashMap<>();

  /**
   * Registers at once: to be called before the question to Postgres whose answer may be "not yet".
   */
  public Waiter expect(String run) {
    Waiter waiter = new Waiter(this, run);
    waiting.compute(
        run,
        (key, set) -> {
          Set<Waiter> all = set == null ? ConcurrentHashMap.newKeySet() : set;
          all.add(waiter);
          return all;
        });
    return waiter;
  }

  void wake(Set<String> runs) {
    if (waiting.isEmpty()) {
      return;
    }
    for (String run : runs) {
      waiting.getOrDefault(run, Set.of()).forEach(waiter -> waiter.woken.complete(null));
    }
  }

  /** How many wait now. */
  int size() {
    return waiting.values().stream().mapToInt(Set::size).sum();
  }

  /** One wait. Must be cancelled in the end, whether it was awaited or not. */
  public static final class Waiter {
    private final Wakeups owner;
    private final String run;
    private final CompletableFuture<Void> woken = new CompletableFuture<>();

    private Waiter(Wakeups owner, String run) {
      this.owner = owner;
      this.run = run;
    }

    /** Completes when woken, or after this time. */
    public Uni<Void> await(Duration atMost) {
      return Uni.createFrom()
          .completionStage(() -> woken.copy())
          .ifNoItem()
          .after(atMost)
          .recoverWithUni(() -> Uni.createFrom().voidItem());
    }

    public void cancel() {
      owner.waiting.computeIfPresent(
          run,
          (key, set) -> {
            set.remove(this);
            return set.isEmpty() ? null : set;
          });
    }
  }
}
