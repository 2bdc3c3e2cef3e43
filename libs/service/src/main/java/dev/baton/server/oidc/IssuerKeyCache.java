/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the keys of an issuer, and fetches them again when a token names an unknown one, or when
 * they are old. All requests that wait share one fetch. While the issuer does not answer, known
 * keys are used. Thread-safe; never blocks.
 */
final class IssuerKeyCache {
  /** Period after which keys are fetched again: one that the issuer no longer publishes is kept. */
  static final Duration REFRESH = Duration.ofMinutes(5);

  /** How long keys are used while the issuer does not answer. */
  static final Duration USABLE = Duration.ofHours(24);

  /** How long a key that the issuer did not have is not fetched again. */
  static final Duration ABSENT = Duration.ofSeconds(10);

  /** Fetches that may follow one another, so that made-up keys do not load the issuer. */
  static final int BURST = 5;

  /** Pause after which a further fetch is allowed. */
  static final Duration EVERY = Duration.ofSeconds(10);

  private static final int MOST_ABSENT = 1_000;
  private static final int MOST_WAITING = 1_000;
  private static final Logger LOG = Logger.getLogger(IssuerKeyCache.class);

  private final Supplier<Uni<Map<String, IssuerKey>>> source;
  private final LongSupplier nanos;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Map<String, Long> absent =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
              return size() > MOST_ABSENT;
            }
          });
  private volatile @Nullable FetchedKeys current;
  private @Nullable Uni<FetchedKeys> fetching;
  private long permits = BURST;
  private long permitAt;
  private boolean failing;

  private record FetchedKeys(Map<String, IssuerKey> byKid, long atNanos) {}

  /**
   * @param source starts a fetch of all keys; fails with {@link IssuerUnavailableException}
   */
  IssuerKeyCache(Supplier<Uni<Map<String, IssuerKey>>> source, LongSupplier nanos) {
    this.source = source;
    this.nanos = nanos;
    this.permitAt = nanos.getAsLong();
  }

  /**
   * Returns a key; empty when the issuer does not publish it.
   *
   * @return fails with {@link IssuerUnavailableException} when the key is unknown and the issuer
   *     does not answer, or has been requested too often
   */
  Uni<Optional<IssuerKey>> key(String kid) {
    long now = nanos.getAsLong();
    FetchedKeys known = current;
    if (known != null && now - known.atNanos() <= USABLE.toNanos()) {
      IssuerKey key = known.byKid().get(kid);
      if (key != null) {
        if (now - known.atNanos() > REFRESH.toNanos()) {
          refresh();
        }
        return Uni.createFrom().item(Optional.of(key));
      }
      if (isAbsent(kid, now)) {
        return Uni.createFrom().item(Optional.empty());
      }
    }
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      return unavailable("too many tokens wait for the keys of their issuer; try again later");
    }
    return fetch()
        .map(keys -> found(keys, kid))
        .onTermination()
        .invoke(() -> waiting.decrementAndGet());
  }

  /** Fetches the keys in the background. */
  void refresh() {
    fetch().subscribe().with(keys -> {}, failure -> LOG.debugf("%s", failure.getMessage()));
  }

  private Optional<IssuerKey> found(FetchedKeys keys, String kid) {
    IssuerKey key = keys.byKid().get(kid);
    if (key == null) {
      absent.put(kid, nanos.getAsLong());
    }
    return Optional.ofNullable(key);
  }

  private boolean isAbsent(String kid, long now) {
    Long since = absent.get(kid);
    return since != null && now - since < ABSENT.toNanos();
  }

  private synchronized Uni<FetchedKeys> fetch() {
    if (fetching != null) {
      return fetching;
    }
    if (!isPermitted()) {
      return unavailable(
          "the keys of the issuer were fetched %d times in a row; try again in %d s"
              .formatted(BURST, EVERY.toSeconds()));
    }
    Uni<FetchedKeys> started =
        Uni.createFrom()
            .deferred(source::get)
            .map(keys -> new FetchedKeys(keys, nanos.getAsLong()))
            .memoize()
            .indefinitely();
    fetching = started;
    started.subscribe().with(this::fetched, this::failed);
    return started;
  }

  private boolean isPermitted() {
    long now = nanos.getAsLong();
    long more = (now - permitAt) / EVERY.toNanos();
    if (more > 0) {
      permits = Math.min(BURST, permits + more);
      permitAt += more * EVERY.toNanos();
    }
    if (permits == 0) {
      return false;
    }
    permits--;
    return true;
  }

  private synchronized void fetched(FetchedKeys keys) {
    current = keys;
    fetching = null;
    if (failing) {
      failing = false;
      LOG.info("the keys of the issuer of tokens are available again");
    }
  }

  private synchronized void failed(Throwable failure) {
    fetching = null;
    if (!failing) {
      failing = true;
      LOG.warnf(
          "%s; tokens with known keys are accepted, others refused with 503", failure.getMessage());
    }
  }

  private static <T> Uni<T> unavailable(String message) {
    return Uni.createFrom().failure(new IssuerUnavailableException(message, null));
  }
}
