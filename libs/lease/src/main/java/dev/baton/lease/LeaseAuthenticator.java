/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.lease.EventSignatureCodec.SignedEvent;
import dev.baton.lease.EventSignatureCodec.UnverifiedSignature;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Verifies lease tokens and signatures of events with the keys of a {@link LeaseKeySource}. Every
 * key is published before it signs, so a key that is missing in an answer fetched after the token
 * arrived does not exist, and the verdict is final. Thread-safe; never blocks.
 */
public final class LeaseAuthenticator {
  private static final Logger LOG = Logger.getLogger(LeaseAuthenticator.class);

  /** Period after which a key is invalid that the source has stopped publishing. */
  static final Duration REFRESH = Duration.ofMinutes(1);

  /**
   * How long a remote source gets no request for a key that it did not have, and how many such keys
   * are remembered.
   */
  static final Duration ABSENT = Duration.ofSeconds(10);

  private static final int MOST_ABSENT = 1_000;
  private static final int MOST_LOGGED = 1_000;

  private final LeaseKeySource source;
  private final LeaseVerifier verifier;
  private final EventSignatureVerifier signatures = new EventSignatureVerifier();
  private final LongSupplier nanos;
  private final AtomicLong refreshedAt;
  private final Map<String, Long> absent = Collections.synchronizedMap(bounded(MOST_ABSENT));
  private final Set<String> logged =
      Collections.newSetFromMap(Collections.synchronizedMap(bounded(MOST_LOGGED)));
  private final Map<LeaseVerdict.Reason, Counter> refusals =
      new EnumMap<>(LeaseVerdict.Reason.class);

  /**
   * @param required whether events and requests without a token are refused
   * @param refused name of the counter of refusals, which has the tag {@code reason}
   */
  public LeaseAuthenticator(
      LeaseKeySource source, boolean required, MeterRegistry metrics, String refused) {
    this(source, required, metrics, refused, System::nanoTime);
  }

  LeaseAuthenticator(
      LeaseKeySource source,
      boolean required,
      MeterRegistry metrics,
      String refused,
      LongSupplier nanos) {
    this.source = source;
    this.verifier = new LeaseVerifier(required);
    this.nanos = nanos;
    this.refreshedAt = new AtomicLong(nanos.getAsLong());
    for (LeaseVerdict.Reason reason : LeaseVerdict.Reason.values()) {
      refusals.put(
          reason,
          Counter.builder(refused)
              .description("events, calls and runners without a valid lease or signature")
              .tag("reason", reason.word())
              .register(metrics));
    }
  }

  /** Loads the initial keys; must complete before the first token is verified. */
  public Uni<Void> start() {
    return source.initial().invoke(keys -> verifier.keys(keys)).replaceWithVoid();
  }

  public boolean areRequired() {
    return verifier.isRequired();
  }

  /**
   * Fetches the keys that these tokens name, where they exist; must complete before {@link #check}.
   * Fails if the source does not answer and a key is missing.
   */
  public Uni<Void> learn(Collection<String> tokens) {
    return learn(tokens, List.of());
  }

  /**
   * Like {@link #learn}, also for the keys of these {@linkplain EventSignatureCodec signatures};
   * must complete before {@link #signatureRefusal}.
   */
  public Uni<Void> learn(Collection<String> tokens, Collection<String> signatures) {
    if (tokens.isEmpty() && signatures.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    Set<String> unknown = verifier.unknownKeys(tokens);
    for (String signature : signatures) {
      UnverifiedSignature read = EventSignatureCodec.read(signature);
      if (read != null && !verifier.keys().containsKey(read.kid())) {
        unknown.add(read.kid());
      }
    }
    return learnKeys(unknown);
  }

  /** Returns a key, which is fetched if it is unknown; empty if it does not exist. */
  Uni<Optional<LeaseKey>> key(String kid) {
    Set<String> unknown = new HashSet<>();
    if (!verifier.keys().containsKey(kid)) {
      unknown.add(kid);
    }
    return learnKeys(unknown).map(none -> Optional.ofNullable(verifier.keys().get(kid)));
  }

  private Uni<Void> learnKeys(Set<String> unknown) {
    long now = nanos.getAsLong();
    unknown.removeIf(kid -> isAbsent(kid, now));
    if (!unknown.isEmpty()) {
      return fetch().invoke(() -> remember(unknown));
    }
    long before = refreshedAt.get();
    if (now - before <= REFRESH.toNanos()) {
      return Uni.createFrom().voidItem();
    }
    if (!source.isRemote()) {
      return fetch();
    }
    if (refreshedAt.compareAndSet(before, now)) {
      fetch()
          .subscribe()
          .with(
              done -> {},
              failure ->
                  LOG.debugf("lease keys: cannot refresh, keeping the current ones: %s", failure));
    }
    return Uni.createFrom().voidItem();
  }

  private boolean isAbsent(String kid, long now) {
    Long since = absent.get(kid);
    return since != null && now - since < ABSENT.toNanos();
  }

  private void remember(Set<String> unknown) {
    if (source.isRemote()) {
      unknown.removeAll(verifier.keys().keySet());
      unknown.forEach(kid -> absent.put(kid, nanos.getAsLong()));
    }
  }

  private Uni<Void> fetch() {
    return Uni.createFrom()
        .deferred(source::fetch)
        .invoke(
            keys -> {
              verifier.keys(keys);
              refreshedAt.set(nanos.getAsLong());
            })
        .replaceWithVoid();
  }

  /**
   * Checks whether the sender may act for this run and epoch. Pure; count a refusal with {@link
   * #refused}.
   *
   * @param token null or empty if there is none
   */
  public LeaseVerdict check(@Nullable String token, String run, int epoch) {
    return verifier.check(token, run, epoch);
  }

  /** Like {@link #check(String, String, int)}, and also checks the project. */
  public LeaseVerdict check(@Nullable String token, String run, int epoch, String project) {
    return verifier.check(token, run, epoch, project);
  }

  /**
   * Accepts a token that this process has just signed, without a verification of its signature,
   * which costs twice as much as the signature.
   */
  public void issued(String token, LeaseVerdict.Granted granted) {
    verifier.issued(token, granted);
  }

  /**
   * Returns why the signature of the event is not valid; null if it is. Count a refusal with {@link
   * #refused}.
   */
  public LeaseVerdict.@Nullable Refused signatureRefusal(String signature, SignedEvent event) {
    return signatures.refusal(signature, event, verifier.keys());
  }

  /**
   * Counts a refusal, and logs it once per run and reason.
   *
   * @param what the refused object, in a few words
   */
  public void refused(String what, String run, LeaseVerdict.Refused refusal) {
    Counter counter = refusals.get(refusal.reason());
    if (counter != null) {
      counter.increment();
    }
    if (logged.add(run + refusal.reason())) {
      LOG.warnf(
          "run %s: %s is refused (%s): %s; further ones of this run are only counted",
          run, what, refusal.reason().word(), refusal.detail());
    }
  }

  private static <V> Map<String, V> bounded(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > most;
      }
    };
  }
}
