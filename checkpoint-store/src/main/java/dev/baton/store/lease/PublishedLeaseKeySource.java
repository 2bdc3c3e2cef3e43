/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.lease;

import dev.baton.lease.LeaseKey;
import dev.baton.lease.LeaseKeySource;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the orchestrator's public keys over HTTP and stores them in Postgres for the time that
 * the orchestrator is unavailable. Thread-safe.
 */
@ApplicationScoped
class PublishedLeaseKeySource implements LeaseKeySource {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int MOST_AT_ONCE = 4;
  private static final int MAX_BYTES = 1 << 20;

  // The same statement deletes keys that are no longer published.
  private static final String REPLACE =
      """
      WITH gone AS (DELETE FROM store.lease_key WHERE NOT kid = ANY($1::text[]))
      INSERT INTO store.lease_key (kid, public_key) SELECT * FROM unnest($1::text[], $2::bytea[])
      ON CONFLICT DO NOTHING""";

  private final Pool pool;
  private final URI address;
  private final TlsSettings tls;
  private final AtomicInteger asking = new AtomicInteger();
  private @Nullable HttpClient http;

  PublishedLeaseKeySource(Pool pool, StoreConfig config) {
    this.pool = pool;
    this.tls = config.tls().settings();
    this.address = config.orchestratorUrl().resolve("/.well-known/jwks.json");
  }

  @PreDestroy
  synchronized void stop() {
    if (http != null) {
      http.shutdownNow();
    }
  }

  /** Returns the keys of the last successful fetch. */
  @Override
  public Uni<Map<String, LeaseKey>> initial() {
    return pool.query("SELECT public_key FROM store.lease_key")
        .execute()
        .map(
            rows -> {
              Map<String, LeaseKey> keys = new HashMap<>();
              rows.forEach(
                  row -> {
                    LeaseKey key = LeaseKey.of(row.getBuffer(0).getBytes());
                    keys.put(key.kid(), key);
                  });
              return keys;
            });
  }

  /** Fetches the published keys. Fails with UNAVAILABLE if the orchestrator does not respond. */
  @Override
  public Uni<Map<String, LeaseKey>> fetch() {
    return Uni.createFrom()
        .deferred(
            () -> {
              if (asking.incrementAndGet() > MOST_AT_ONCE) {
                asking.decrementAndGet();
                return Uni.createFrom()
                    .failure(
                        StoreRequestException.unavailable(
                            "too many concurrent fetches of lease keys; retry soon"));
              }
              return Uni.createFrom()
                  .completionStage(() -> client().sendAsync(request(), this::body))
                  .map(PublishedLeaseKeySource::read)
                  .onTermination()
                  .invoke(() -> asking.decrementAndGet());
            })
        .onFailure(failure -> !(failure instanceof StoreRequestException))
        .transform(
            failure ->
                StoreRequestException.unavailable(
                    "cannot fetch the lease keys from %s: %s"
                        .formatted(
                            address,
                            TlsFailure.explain(
                                failure, "baton.orchestrator-url", FailureTranslator::words))))
        .call(this::keep);
  }

  @Override
  public boolean isRemote() {
    return true;
  }

  private synchronized HttpClient client() {
    if (http == null) {
      HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(PATIENCE);
      if ("https".equals(address.getScheme())) {
        builder.sslContext(tls.context());
      }
      http = builder.build();
    }
    return http;
  }

  private HttpRequest request() {
    return HttpRequest.newBuilder(address).timeout(PATIENCE).GET().build();
  }

  private HttpResponse.BodySubscriber<byte[]> body(HttpResponse.ResponseInfo response) {
    return HttpResponse.BodySubscribers.limiting(
        HttpResponse.BodySubscribers.ofByteArray(), MAX_BYTES);
  }

  private static Map<String, LeaseKey> read(HttpResponse<byte[]> response) {
    if (response.statusCode() != 200) {
      throw new java.io.UncheckedIOException(
          new IOException("HTTP status " + response.statusCode()));
    }
    return LeaseKey.readSet(response.body());
  }

  private Uni<Void> keep(Map<String, LeaseKey> keys) {
    LeaseKey[] all = keys.values().toArray(LeaseKey[]::new);
    String[] kids = new String[all.length];
    Buffer[] encoded = new Buffer[all.length];
    for (int i = 0; i < all.length; i++) {
      kids[i] = all[i].kid();
      encoded[i] = Buffer.buffer(all[i].encoded());
    }
    return pool.preparedQuery(REPLACE).execute(Tuple.of(kids, encoded)).replaceWithVoid();
  }
}
