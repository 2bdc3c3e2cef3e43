/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.idempotency;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Deletes expired rows: idempotency keys after 24 hours, ended runner processes and notifications
 * after a week.
 */
@ApplicationScoped
class ExpiredRowCleaner {
  private static final Logger LOG = Logger.getLogger(ExpiredRowCleaner.class);
  private static final Duration EVERY = Duration.ofMinutes(10);

  private final Pool pool;
  private volatile @Nullable Cancellable ticking;

  ExpiredRowCleaner(Pool pool) {
    this.pool = pool;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    ticking =
        Multi.createFrom()
            .ticks()
            .every(EVERY)
            .onOverflow()
            .drop()
            .onItem()
            .transformToUniAndConcatenate(tick -> sweep())
            .subscribe()
            .with(done -> {});
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    Cancellable now = ticking;
    if (now != null) {
      now.cancel();
    }
  }

  private Uni<Void> sweep() {
    return pool.query(
            """
            DELETE FROM orchestrator.idempotency WHERE created_at < now() - interval '24 hours';
            DELETE FROM orchestrator.runner WHERE state = 'exited' AND ended_at < now() - interval '7 days';
            DELETE FROM orchestrator.notification WHERE ended_at < now() - interval '7 days'""")
        .execute()
        .onFailure()
        .invoke(failure -> LOG.warnf("expired rows: delete failed, retrying: %s", failure))
        .onFailure()
        .recoverWithNull()
        .replaceWithVoid();
  }
}
