/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.server.PostgresDurabilityChecker;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.postgres.PostgresInstallation;
import dev.baton.standalone.postgres.PostgresServer;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks a Postgres that was started with unsafe settings. */
class PostgresDurabilityCheckerTest {
  private static final String PASSWORD = "secret";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void shouldNameEverySettingThatIsOff() throws Exception {
    Optional<String> problem = check("fsync=off", "full_page_writes=off");

    assertThat(problem)
        .contains(
            "Postgres: fsync is off: a crash of the machine can destroy the whole database;"
                + " full_page_writes is off: a crash of the machine can leave pages half written."
                + " Set fsync=on, full_page_writes=on for the server, the database and the role of"
                + " baton.db.user");
    assertThatThrownBy(() -> PostgresDurabilityChecker.enforce(problem, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            problem.orElseThrow()
                + "; for data that may be lost set baton.postgres.allow-unsafe=true");
    assertThat(PostgresDurabilityChecker.enforce(problem, true))
        .contains(problem.orElseThrow() + " (accepted by baton.postgres.allow-unsafe=true)");
  }

  @Test
  void shouldAcceptTheSettingsOfTheEmbeddedServer() throws Exception {
    Optional<String> problem = check();

    assertThat(problem).isEmpty();
    assertThat(PostgresDurabilityChecker.enforce(problem, false)).isEmpty();
  }

  /** Starts a server with these settings in addition and checks it. */
  private Optional<String> check(String... settings) throws Exception {
    int port = ServiceReplica.freePort();
    PostgresServer server = new PostgresServer(PostgresInstallation.unpack(cache()), folder);
    List<String> command = server.prepare(port, PASSWORD);
    for (String setting : settings) {
      command.addAll(List.of("-c", setting)); // the last one counts
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    Vertx vertx = Vertx.vertx();
    try {
      return await(vertx, port);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
      process.destroy();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
      }
    }
  }

  private static Path cache() {
    String named = System.getenv("BATON_CACHE");
    return named == null
        ? Path.of(System.getProperty("user.home"), ".cache", "baton")
        : Path.of(named);
  }

  private static Optional<String> await(Vertx vertx, int port) throws Exception {
    Pool pool =
        PgBuilder.pool()
            .with(new PoolOptions().setMaxSize(1))
            .connectingTo(
                new PgConnectOptions()
                    .setHost("127.0.0.1")
                    .setPort(port)
                    .setDatabase(PostgresServer.NAME)
                    .setUser(PostgresServer.NAME)
                    .setPassword(PASSWORD))
            .using(vertx)
            .build();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return PostgresDurabilityChecker.check(pool)
            .toCompletionStage()
            .toCompletableFuture()
            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        if (System.nanoTime() > deadline) {
          throw new IOException("Postgres did not start within " + PATIENCE, e);
        }
        LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
      }
    }
  }
}
