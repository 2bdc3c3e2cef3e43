/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.lease.LeaseKey;
import dev.baton.protocol.lease.LeaseVerdict;
import dev.baton.protocol.lease.LeaseVerifier;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Verifies lease tokens with the public keys of all replicas. Each replica writes its key into the
 * database before it signs with it, so a token whose key is not there is invalid. Thread-safe.
 */
@ApplicationScoped
public class ReplicaLeaseVerifier {
  private static final Logger LOG = Logger.getLogger(ReplicaLeaseVerifier.class);

  /** Runs before the Kafka channels open. */
  private static final int FIRST = 100;

  private static final Duration SQL = Duration.ofSeconds(10);

  /** A key that an operator deletes is rejected within this time. */
  private static final Duration REFRESH = Duration.ofMinutes(1);

  private static final int MOST_LOGGED = 1_000;

  private final Pool pool;
  private final LeaseSigner mint;
  private final LeaseVerifier verifier;
  private final Map<LeaseVerdict.Reason, Counter> refusals =
      new EnumMap<>(LeaseVerdict.Reason.class);
  private final Set<String> logged =
      Collections.newSetFromMap(
          Collections.synchronizedMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > MOST_LOGGED;
                }
              }));
  private volatile long loadedAt = System.nanoTime();

  ReplicaLeaseVerifier(
      Pool pool, LeaseSigner mint, OrchestratorConfig config, MeterRegistry metrics) {
    this.pool = pool;
    this.mint = mint;
    this.verifier = new LeaseVerifier(config.lease().required());
    for (LeaseVerdict.Reason reason : LeaseVerdict.Reason.values()) {
      refusals.put(
          reason,
          Counter.builder("baton.leases.refused")
              .description("events and runners without a valid lease")
              .tag("reason", reason.word())
              .register(metrics));
    }
  }

  void onStart(@Observes @Priority(FIRST) StartupEvent event) {
    LeaseKey own = mint.publicKey();
    pool.preparedQuery(
            "INSERT INTO orchestrator.lease_key (kid, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .execute(Tuple.of(own.kid(), Buffer.buffer(own.encoded())))
        .chain(this::load)
        .await()
        .atMost(SQL);
  }

  /**
   * Loads the keys that these tokens name, where they exist; must complete before {@link #check}.
   * Fails when the database does not answer.
   */
  public Uni<Void> learn(Collection<String> tokens) {
    boolean stale = System.nanoTime() - loadedAt > REFRESH.toNanos();
    return tokens.isEmpty() || !stale && verifier.unknownKeys(tokens).isEmpty()
        ? Uni.createFrom().voidItem()
        : load();
  }

  /** Pure; see {@link LeaseVerifier#check}. */
  public LeaseVerdict check(@Nullable String token, String run, int epoch) {
    return verifier.check(token, run, epoch);
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

  /** The valid public keys, oldest first, with which other services verify leases. */
  public Uni<List<LeaseKey>> published() {
    return pool.query("SELECT public_key FROM orchestrator.lease_key ORDER BY created_at, kid")
        .execute()
        .map(
            rows -> {
              List<LeaseKey> keys = new ArrayList<>();
              rows.forEach(row -> keys.add(LeaseKey.of(row.getBuffer(0).getBytes())));
              return keys;
            });
  }

  private Uni<Void> load() {
    return published()
        .invoke(
            keys -> {
              Map<String, LeaseKey> known = new HashMap<>();
              keys.forEach(key -> known.put(key.kid(), key));
              verifier.keys(known);
              loadedAt = System.nanoTime();
            })
        .replaceWithVoid();
  }
}
