/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.StepTokenSigner;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.server.KeyFileLoader;
import dev.baton.server.oidc.IssuerUnavailableException;
import dev.baton.server.oidc.OidcIdentity;
import dev.baton.server.oidc.OidcSettings;
import dev.baton.server.oidc.OidcTokenAuthenticator;
import dev.baton.server.oidc.OidcVerdict;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Finds the caller of a credential: an API key of the database or of the files of {@code
 * baton.identity}, a token of an OpenID Connect issuer, or the token of a step. What it has found
 * in the database holds for {@link #CACHED}, so a key that another replica has revoked works that
 * long. Never logs a credential. Thread-safe.
 */
@ApplicationScoped
class CallerAuthenticator {
  /** How long a key is not read again. */
  static final Duration CACHED = Duration.ofSeconds(5);

  /** How exact the last use of a key is. */
  private static final Duration USE_RECORDED = Duration.ofMinutes(1);

  private static final int MAX_CACHED = 10_000;
  private static final int MAX_LOOKUPS = 64;
  private static final Logger LOG = Logger.getLogger(CallerAuthenticator.class);

  private final ApiKeyRepository keys;
  private final StepTokenSigner steps;
  private final OrchestratorConfig.Identity config;
  private final Optional<OidcTokenAuthenticator> tokens;
  private final ConcurrentHashMap<String, CachedKey> cache = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Instant> used = new ConcurrentHashMap<>();
  private final AtomicInteger lookups = new AtomicInteger();
  private volatile List<KnownKey> fileKeys = List.of();

  CallerAuthenticator(ApiKeyRepository keys, StepTokenSigner steps, OrchestratorConfig config) {
    this.keys = keys;
    this.steps = steps;
    this.config = config.identity();
    this.tokens =
        OidcSettings.read(config.identity().oidc())
            .map(settings -> new OidcTokenAuthenticator(settings, config.tls().settings()));
  }

  /** Whom a credential belongs to. */
  sealed interface Outcome {
    record Accepted(Caller caller) implements Outcome {}

    /**
     * The credential is wrong, expired or revoked.
     *
     * @param reason in ASCII, without the credential
     */
    record Refused(String reason) implements Outcome {}
  }

  private static final Outcome.Refused WRONG_KEY =
      new Outcome.Refused("the API key is wrong, expired or revoked");

  private record KnownKey(String id, String name, byte[] digest, ProjectRoles roles) {}

  /** What was found for an id, also that it does not exist. */
  private record CachedKey(Optional<ApiKeyRow> row, long untilNanos) {}

  void onStart(@Observes @Priority(2) StartupEvent event) throws IOException {
    fileKeys =
        KeyFileLoader.load(
                new KeyFileLoader.Settings(
                    config.required(), config.adminKeysFile(), config.viewerKeysFile()))
            .stream()
            .map(
                file -> {
                  String id = ApiKeyFormat.id(file.key()).orElseThrow();
                  return new KnownKey(
                      id,
                      file.roles().highest().label() + " key " + id,
                      BearerCredential.digest(file.key()),
                      file.roles());
                })
            .toList();
    tokens.ifPresent(OidcTokenAuthenticator::start);
    if (config.required() && fileKeys.isEmpty()) {
      LOG.info(
          "baton.identity.admin-keys-file is not set: only API keys of the database are accepted");
    }
  }

  @PreDestroy
  void stop() {
    tokens.ifPresent(OidcTokenAuthenticator::close);
  }

  /** Returns what a request without a credential may send, for messages. */
  String accepted() {
    return "'Authorization: Bearer KEY'; create it with `baton keys create`, or read local.key in"
        + " the data folder of `baton up`"
        + tokens.map(oidc -> "; or with a token of " + oidc.issuer()).orElse("");
  }

  /**
   * Returns the caller of a credential. Fails with a {@link ProblemException} when it cannot be
   * checked now, or with the database's error.
   */
  Uni<Outcome> authenticate(String credential) {
    Optional<String> run = steps.verify(credential);
    if (run.isPresent()) {
      return found(new Outcome.Accepted(Caller.step(run.get())));
    }
    if (tokens.isPresent() && OidcTokenAuthenticator.isToken(credential)) {
      return token(tokens.get(), credential);
    }
    Optional<String> id = ApiKeyFormat.id(credential);
    if (id.isEmpty()) {
      return found(WRONG_KEY);
    }
    byte[] digest = BearerCredential.digest(credential);
    for (KnownKey key : fileKeys) {
      if (MessageDigest.isEqual(key.digest(), digest)) {
        return found(
            new Outcome.Accepted(
                Caller.of(key.id(), key.name(), key.roles(), CallerValidity.ENDLESS)));
      }
    }
    return lookup(id.get())
        .map(row -> row.flatMap(key -> caller(key, digest)))
        .map(caller -> caller.<Outcome>map(Outcome.Accepted::new).orElse(WRONG_KEY));
  }

  private static Uni<Outcome> token(OidcTokenAuthenticator oidc, String credential) {
    return oidc.authenticate(credential)
        .map(
            verdict ->
                switch (verdict) {
                  case OidcVerdict.Refused(String reason) -> new Outcome.Refused(reason);
                  case OidcVerdict.Accepted(OidcIdentity identity) ->
                      (Outcome) new Outcome.Accepted(caller(identity));
                })
        .onFailure(IssuerUnavailableException.class)
        .transform(
            failure ->
                new ProblemException(
                    ProblemKind.UNAVAILABLE,
                    "the token cannot be checked now: " + failure.getMessage()));
  }

  private static Caller caller(OidcIdentity identity) {
    CallerValidity validity = CallerValidity.until("token", identity.validUntil());
    return identity
        .roles()
        .map(roles -> Caller.of(identity.id(), identity.name(), roles, validity))
        .orElseGet(() -> Caller.withoutRole(identity.id(), identity.name(), validity));
  }

  private Optional<Caller> caller(ApiKeyRow key, byte[] digest) {
    Instant now = Instant.now();
    if (!MessageDigest.isEqual(key.digest(), digest) || !key.isValid(now)) {
      return Optional.empty();
    }
    recordUse(key.id(), now);
    return Optional.of(
        Caller.of(key.id(), key.name(), key.roles(), CallerValidity.ofStoredKey(key.expiresAt())));
  }

  /**
   * Returns those of these keys of the database that are revoked or deleted, by id. Reads them, so
   * that other replicas' revocations count, and refuses them from now on.
   */
  Uni<Set<String>> revoked(Set<String> ids) {
    return keys.find(ids)
        .map(
            rows -> {
              Set<String> gone = new HashSet<>(ids);
              for (ApiKeyRow row : rows) {
                if (row.revokedAt() == null) {
                  gone.remove(row.id());
                }
              }
              gone.forEach(this::forget);
              return gone;
            });
  }

  private Uni<Optional<ApiKeyRow>> lookup(String id) {
    CachedKey cached = cache.get(id);
    if (cached != null && cached.untilNanos() - System.nanoTime() > 0) {
      return Uni.createFrom().item(cached.row());
    }
    if (lookups.incrementAndGet() > MAX_LOOKUPS) {
      lookups.decrementAndGet();
      return Uni.createFrom()
          .failure(
              new ProblemException(
                  ProblemKind.BUSY, "too many API keys are being checked; try again in a moment"));
    }
    return keys.find(id)
        .onTermination()
        .invoke(lookups::decrementAndGet)
        .invoke(row -> keep(id, row));
  }

  private void keep(String id, Optional<ApiKeyRow> row) {
    long now = System.nanoTime();
    if (cache.size() >= MAX_CACHED) {
      cache.values().removeIf(entry -> entry.untilNanos() - now <= 0);
    }
    if (cache.size() < MAX_CACHED) {
      cache.put(id, new CachedKey(row, now + CACHED.toNanos()));
    }
  }

  /** Forgets what was found for a key that has changed. */
  void forget(String id) {
    cache.remove(id);
  }

  private void recordUse(String id, Instant now) {
    Instant last = used.get(id);
    if (last != null && last.plus(USE_RECORDED).isAfter(now)) {
      return;
    }
    used.put(id, now);
    keys.used(id, now)
        .subscribe()
        .with(
            done -> {},
            failure -> {
              used.remove(id, now);
              LOG.warnf("the last use of API key %s cannot be recorded: %s", id, failure);
            });
  }

  private static Uni<Outcome> found(Outcome outcome) {
    return Uni.createFrom().item(outcome);
  }
}
