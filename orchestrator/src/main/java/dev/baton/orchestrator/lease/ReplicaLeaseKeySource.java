/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import dev.baton.lease.LeaseKey;
import dev.baton.lease.LeaseKeySource;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stores the public keys of all replicas in the database. Each replica inserts its key before it
 * signs with it. Thread-safe; the connection pool bounds concurrent fetches.
 */
@ApplicationScoped
class ReplicaLeaseKeySource implements LeaseKeySource {
  private final Pool pool;
  private final LeaseSigner signer;

  ReplicaLeaseKeySource(Pool pool, LeaseSigner signer) {
    this.pool = pool;
    this.signer = signer;
  }

  /** Publishes the key of this replica, then returns those of all. */
  @Override
  public Uni<Map<String, LeaseKey>> initial() {
    LeaseKey own = signer.publicKey();
    return pool.preparedQuery(
            "INSERT INTO orchestrator.lease_key (kid, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .execute(Tuple.of(own.kid(), Buffer.buffer(own.encoded())))
        .chain(this::fetch);
  }

  @Override
  public Uni<Map<String, LeaseKey>> fetch() {
    return published()
        .map(
            keys -> {
              Map<String, LeaseKey> byKid = new HashMap<>();
              keys.forEach(key -> byKid.put(key.kid(), key));
              return byKid;
            });
  }

  @Override
  public boolean isRemote() {
    return false;
  }

  /** The valid public keys, oldest first, with which other services verify leases. */
  Uni<List<LeaseKey>> published() {
    return pool.query("SELECT public_key FROM orchestrator.lease_key ORDER BY created_at, kid")
        .execute()
        .map(
            rows -> {
              List<LeaseKey> keys = new ArrayList<>();
              rows.forEach(row -> keys.add(LeaseKey.of(row.getBuffer(0).getBytes())));
              return keys;
            });
  }
}
