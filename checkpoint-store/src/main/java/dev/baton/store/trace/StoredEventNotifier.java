/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.store.failure.FailureTranslator;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Wakes requests that wait for events of a run as soon as this process has stored some. Only a
 * hint: another replica may store the events, so every wait has a timeout, after which the request
 * queries Postgres again. Thread-safe.
 */
@ApplicationScoped
public class StoredEventNotifier {
  private static final Duration POLL = Duration.ofMillis(250);

  private final Map<String, Set<Waiter>> waiting = new ConcurrentHashMap<>();

  /**
   * Registers a waiter. Call it before querying Postgres, so that events stored during the query
   * are not missed.
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

  /**
   * Repeats a query until it finds a result: whenever events of the run were stored, and at least
   * every 250 ms, since another replica may store them or Postgres may be unavailable.
   *
   * @return empty after the timeout
   */
  public <T> Uni<Optional<T>> await(String run, Duration atMost, Supplier<Uni<Optional<T>>> look) {
    long deadline = System.nanoTime() + atMost.toNanos();
    return Uni.createFrom()
        .deferred(() -> look(run, deadline, look))
        .repeat()
        .whilst(found -> found.isEmpty() && System.nanoTime() < deadline)
        .select()
        .last()
        .toUni();
  }

  private <T> Uni<Optional<T>> look(String run, long deadline, Supplier<Uni<Optional<T>>> look) {
    Waiter waiter = expect(run);
    return look.get()
        .onFailure(FailureTranslator::isAway)
        .recoverWithItem(Optional::empty)
        .call(
            found ->
                found.isPresent()
                    ? Uni.createFrom().voidItem()
                    : waiter.await(shorter(deadline - System.nanoTime())))
        .eventually(waiter::cancel);
  }

  private static Duration shorter(long nanos) {
    return Duration.ofNanos(Math.clamp(nanos, 1_000_000, POLL.toNanos()));
  }

  void wake(Set<String> runs) {
    if (waiting.isEmpty()) {
      return;
    }
    for (String run : runs) {
      waiting.getOrDefault(run, Set.of()).forEach(waiter -> waiter.woken.complete(null));
    }
  }

  /** Returns the number of current waiters. */
  int size() {
    return waiting.values().stream().mapToInt(Set::size).sum();
  }

  /** One wait. Must be cancelled afterwards, whether it was awaited or not. */
  public static final class Waiter {
    private final StoredEventNotifier owner;
    private final String run;
    private final CompletableFuture<Void> woken = new CompletableFuture<>();

    private Waiter(StoredEventNotifier owner, String run) {
      this.owner = owner;
      this.run = run;
    }

    /** Completes when woken, or after this timeout. */
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
