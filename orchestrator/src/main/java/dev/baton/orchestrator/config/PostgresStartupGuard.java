/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.protocol.retry.Backoff;
import dev.baton.server.PostgresDurabilityChecker;
import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Refuses to start with a Postgres that may lose what it has acknowledged. Waits for Postgres, at
 * most {@value #ATTEMPTS} attempts.
 */
@ApplicationScoped
class PostgresStartupGuard {
  private static final Logger LOG = Logger.getLogger(PostgresStartupGuard.class);
  private static final int ATTEMPTS = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Pool pool;
  private final boolean allowUnsafe;

  PostgresStartupGuard(Pool pool, OrchestratorConfig config) {
    this.pool = pool;
    allowUnsafe = config.postgres().allowUnsafe();
  }

  void onStart(@Observes @Priority(20) StartupEvent event) throws InterruptedException {
    PostgresDurabilityChecker.enforce(problem(), allowUnsafe).ifPresent(LOG::warn);
  }

  private Optional<String> problem() throws InterruptedException {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    for (int attempt = 1; ; attempt++) {
      try {
        return PostgresDurabilityChecker.check(pool.getDelegate())
            .toCompletionStage()
            .toCompletableFuture()
            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        if (attempt == ATTEMPTS) {
          throw new IllegalStateException(
              "Postgres: did not answer in " + attempt + " attempts; check baton.db.*", e);
        }
        LOG.warnf("Postgres: not ready, retrying (attempt %d of %d): %s", attempt, ATTEMPTS, e);
        backoff.pause();
      }
    }
  }
}
