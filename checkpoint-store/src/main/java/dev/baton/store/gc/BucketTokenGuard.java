/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.scheduling.Await;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;

/**
 * Compares a token stored in the bucket with the one in Postgres. If they differ, this database
 * does not describe the bucket (it was lost and created again), and objects without a row must not
 * be deleted. Blocks.
 */
@ApplicationScoped
public class BucketTokenGuard {
  private static final String KEY = "baton-store.json";
  private static final int LARGEST = 4_096;

  static final String FIND = "SELECT token FROM store.bucket_token WHERE one";
  static final String PUT =
      """
      INSERT INTO store.bucket_token (one, token) VALUES (true, $1)
      ON CONFLICT (one) DO UPDATE SET token = EXCLUDED.token""";
  static final String PUT_FIRST =
      """
      INSERT INTO store.bucket_token (one, token) VALUES (true, $1)
      ON CONFLICT (one) DO UPDATE SET token = bucket_token.token RETURNING token""";

  private final Pool pool;
  private final BucketClient bucket;

  BucketTokenGuard(Pool pool, BucketClient bucket) {
    this.pool = pool;
    this.bucket = bucket;
  }

  /** Whether the tokens match. If the bucket has none, both get the same one. */
  boolean matches() {
    Optional<String> there = inBucket();
    Optional<String> here = inPostgres();
    if (there.isEmpty()) {
      String token =
          Await.get(pool.preparedQuery(PUT_FIRST).execute(Tuple.of(RunId.next())))
              .iterator()
              .next()
              .getString(0);
      Await.get(bucket.put(KEY, Json.bytes(Map.of("token", token))));
      return true;
    }
    return there.equals(here);
  }

  /** Copies the bucket's token into Postgres: from now on this database describes the bucket. */
  public void adopt() {
    Optional<String> there = inBucket();
    if (there.isEmpty()) {
      matches();
    } else {
      Await.get(pool.preparedQuery(PUT).execute(Tuple.of(there.get())));
    }
  }

  private Optional<String> inPostgres() {
    RowSet<Row> rows = Await.get(pool.query(FIND).execute());
    return rows.size() == 0 ? Optional.empty() : Optional.of(rows.iterator().next().getString(0));
  }

  private Optional<String> inBucket() {
    try (InputStream in = bucket.open(KEY, 0, null)) {
      return Optional.of(Json.tree(in.readNBytes(LARGEST)).path("token").asText());
    } catch (StoreRequestException e) {
      if (e.kind() == StoreRequestException.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
