/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs Baton on a Postgres that accepts only TLS, and only clients with a certificate. */
class DatabaseTlsTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final List<String> LOOPBACK = List.of("ip:127.0.0.1");

  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static CertificateAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private static Issued server;

  @SuppressWarnings("NullAway.Init")
  private static Issued client;

  @SuppressWarnings("NullAway.Init")
  private static StandaloneStack stack;

  @BeforeAll
  static void start() throws Exception {
    folder = Files.createTempDirectory("baton-database-tls-");
    authority = CertificateAuthority.of(Files.createDirectory(folder.resolve("authority")));
    server = authority.issue("server", LOOPBACK, 2);
    client = authority.issue("client", LOOPBACK, 2);
    // The first start creates the cluster, whose settings are changed before the second one.
    builder().components(StackComponent.POSTGRES).start().close();
    Path cluster = folder.resolve("stack/postgres/data");
    Files.writeString(
        cluster.resolve("postgresql.conf"),
        """
        ssl = on
        ssl_cert_file = '%s'
        ssl_key_file = '%s'
        ssl_ca_file = '%s'
        """
            .formatted(server.certificate(), server.key(), authority.certificate()),
        StandardOpenOption.APPEND);
    Files.writeString(
        cluster.resolve("pg_hba.conf"),
        "hostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n");
    StackBuilder all = builder();
    for (StackComponent service : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      settings().forEach((name, value) -> all.environment(service, name, value));
    }
    stack = all.start();
  }

  private static StackBuilder builder() throws Exception {
    return SharedStackExtension.builder().data(folder.resolve("stack"));
  }

  private static Map<String, String> settings() {
    return Map.of(
        "BATON_DB_SSL_MODE",
        "verify-full",
        "BATON_DB_SSL_ROOT_CERTIFICATE",
        authority.certificate().toString(),
        "BATON_DB_SSL_CERTIFICATE",
        client.certificate().toString(),
        "BATON_DB_SSL_KEY",
        client.key().toString());
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
    DirectoryTreeDeleter.delete(folder);
  }

  @Test
  void shouldMigrateAndCompleteRuns() throws Exception {
    AcceptanceApiClient api = new AcceptanceApiClient(stack.orchestratorUrl(), stack.apiKey());
    api.push("{name: encrypted, steps: [{id: a, shell: 'true'}]}");
    String run = api.start("encrypted", Json.mapper().createObjectNode());

    Await.until(
        "run " + run + " has completed",
        END,
        () -> api.run(run).path("status").asText().equals("completed"));
  }

  @Test
  void shouldNotStartWithAnotherAuthority() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));

    assertNotStarted(
        StackComponent.STORE,
        Map.of(
            "BATON_DB_SSL_ROOT_CERTIFICATE",
            CertificateAuthority.of(other).certificate().toString()),
        "of an authority that is not trusted; correct baton.db.ssl-root-certificate");
  }

  @Test
  void shouldNotStartWithACertificateOfAnotherHost() throws Exception {
    assertNotStarted(
        StackComponent.ORCHESTRATOR,
        Map.of("BATON_DB_HOST", "localhost"),
        "Postgres at localhost:"
            + stackPort()
            + ": its certificate is for another host; correct baton.db.host");
  }

  @Test
  void shouldNotStartWithAnExpiredCertificate() throws Exception {
    Path kept = folder.resolve("kept");
    Path keptKey = folder.resolve("kept.key");
    Files.copy(server.certificate(), kept);
    Files.copy(server.key(), keptKey, StandardCopyOption.COPY_ATTRIBUTES);
    try {
      authority.issue("server", LOOPBACK, "-3d", 1);
      reload(1);

      assertNotStarted(
          StackComponent.STORE,
          Map.of(),
          "its certificate has expired; correct the certificate of the server");
    } finally {
      Files.move(keptKey, server.key(), StandardCopyOption.REPLACE_EXISTING);
      Files.move(kept, server.certificate(), StandardCopyOption.REPLACE_EXISTING);
      reload(2);
    }
  }

  private static int stackPort() throws Exception {
    return Json.mapper()
        .readTree(folder.resolve("stack/stack.json").toFile())
        .path("ports")
        .path("postgres")
        .asInt();
  }

  /** Lets Postgres read its certificate again; running connections stay. */
  private static void reload(int times) throws Exception {
    String pid =
        Files.readAllLines(folder.resolve("stack/postgres/data/postmaster.pid")).getFirst();
    assertThat(new ProcessBuilder("kill", "-HUP", pid.strip()).start().waitFor()).isZero();
    Await.until(
        "Postgres has read its certificate again",
        END,
        () ->
            Files.readString(stack.log(StackComponent.POSTGRES))
                    .split("reloading configuration files", -1)
                    .length
                > times);
  }

  private static void assertNotStarted(
      StackComponent service, Map<String, String> changes, String message) throws Exception {
    Map<String, String> environment = new HashMap<>(settings());
    environment.putAll(changes);
    ServiceStartAssert.assertNotStarted(stack, service, environment, message);
  }
}
