/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads the secret of attach tokens from Postgres, once at the start. Thread-safe. */
@ApplicationScoped
class AttachSecretSource {
  private static final Duration SQL = Duration.ofSeconds(10);

  private final Pool pool;
  private volatile byte @Nullable [] secret;

  AttachSecretSource(Pool pool) {
    this.pool = pool;
  }

  /** After the schema exists and before a runner is started. */
  void onStart(@Observes @Priority(21) StartupEvent event) {
    secret =
        pool.query("SELECT secret FROM orchestrator.attach_key")
            .execute()
            .await()
            .atMost(SQL)
            .iterator()
            .next()
            .getBuffer("secret")
            .getBytes();
  }

  byte[] get() {
    byte[] read = secret;
    if (read == null) {
      throw new IllegalStateException("the secret of attach tokens is read at the start");
    }
    return read;
  }
}
