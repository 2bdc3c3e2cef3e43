/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.lease;

import dev.baton.protocol.lease.LeaseVerdict;
import dev.baton.protocol.lease.LeaseVerifier;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Verifies lease tokens. The orchestrator publishes a key before it signs with it, so a key that is
 * missing in a response fetched after the token arrived does not exist. Thread-safe.
 */
@ApplicationScoped
public class LeaseAuthenticator {
  private static final Logger LOG = Logger.getLogger(LeaseAuthenticator.class);

  /** Runs before the channels open. */
  private static final int FIRST = 100;

  private static final Duration SQL = Duration.ofSeconds(10);

  /** Within this time a key that is no longer published becomes invalid. */
  private static final Duration REFRESH = Duration.ofMinutes(1);

  /**
   * How long the store does not fetch again for a key that was not published, and how many such
   * keys it remembers.
   */
  private static final Duration NOBODYS = Duration.ofSeconds(10);

  private static final int MOST_NOBODYS = 1_000;

  private final LeaseKeySource published;
  private final LeaseVerifier verifier;
  private final AtomicLong askedAt = new AtomicLong(System.nanoTime());
  private final Map<String, Long> nobodys =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST_NOBODYS;
        }
      };
  private final Map<LeaseVerdict.Reason, Counter> refusals =
      new EnumMap<>(LeaseVerdict.Reason.class);

  LeaseAuthenticator(LeaseKeySource published, StoreConfig config, MeterRegistry metrics) {
    this.published = published;
    this.verifier = new LeaseVerifier(config.lease().required());
    for (LeaseVerdict.Reason reason : LeaseVerdict.Reason.values()) {
      refusals.put(
          reason,
          Counter.builder("baton.store.leases.refused")
              .description("events and calls without a valid lease")
              .tag("reason", reason.word())
              .register(metrics));
    }
  }

  void onStart(@Observes @Priority(FIRST) StartupEvent event) {
    verifier.keys(published.kept().await().atMost(SQL));
  }

  public boolean areRequired() {
    return verifier.isRequired();
  }

  /**
   * Fetches the published keys if these tokens name unknown ones; must complete before {@link
   * #refusal} is called. Fails with UNAVAILABLE if the orchestrator does not respond.
   */
  public Uni<Void> learn(Collection<String> tokens) {
    if (tokens.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    Set<String> unknown = verifier.unknownKeys(tokens);
    long now = System.nanoTime();
    synchronized (nobodys) {
      unknown.removeIf(
          kid -> now - nobodys.getOrDefault(kid, now - NOBODYS.toNanos()) < NOBODYS.toNanos());
    }
    if (unknown.isEmpty()) {
      refresh(now);
      return Uni.createFrom().voidItem();
    }
    return ask()
        .invoke(
            none -> {
              unknown.removeAll(verifier.keys().keySet());
              synchronized (nobodys) {
                unknown.forEach(kid -> nobodys.put(kid, System.nanoTime()));
              }
            });
  }

  private Uni<Void> ask() {
    return published.ask().invoke(keys -> verifier.keys(keys)).replaceWithVoid();
  }

  /** Refreshes the keys in the background: keys are rarely revoked. */
  private void refresh(long now) {
    long before = askedAt.get();
    if (now - before > REFRESH.toNanos() && askedAt.compareAndSet(before, now)) {
      ask()
          .subscribe()
          .with(
              done -> {},
              failure ->
                  LOG.debugf(
                      "cannot refresh the lease keys, keeping the current ones: %s",
                      FailureTranslator.words(failure)));
    }
  }

  /**
   * Returns in one line why the sender may not act for this run and epoch; null if it may. Counts
   * refusals.
   *
   * @param token null or empty for none
   */
  public @Nullable String refusal(@Nullable String token, String run, int epoch) {
    return words(verifier.check(token, run, epoch));
  }

  /**
   * Fails with FENCED if the lease is not valid for the caller, and with UNAVAILABLE if the key
   * cannot be fetched now.
   *
   * @param epoch of the calling runner; 0 for a service, which needs no lease
   * @param project null if the call names none
   */
  public Uni<Void> require(String token, String run, int epoch, @Nullable String project) {
    if (epoch == 0) {
      return Uni.createFrom().voidItem();
    }
    return learn(token.isEmpty() ? List.of() : List.of(token))
        .invoke(
            none -> {
              String refusal =
                  words(
                      project == null
                          ? verifier.check(token, run, epoch)
                          : verifier.check(token, run, epoch, project));
              if (refusal != null) {
                throw StoreRequestException.fenced(
                    "epoch %d of run %s: %s".formatted(epoch, run, refusal));
              }
            });
  }

  private @Nullable String words(LeaseVerdict verdict) {
    return switch (verdict) {
      case LeaseVerdict.Granted granted -> null;
      case LeaseVerdict.NotAsked none -> null;
      case LeaseVerdict.Refused(LeaseVerdict.Reason reason, String detail) -> {
        Counter counter = refusals.get(reason);
        if (counter != null) {
          counter.increment();
        }
        yield "lease refused (%s): %s".formatted(reason.word(), detail);
      }
    };
  }
}
