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
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs Baton on a Postgres that accepts only TLS, and only clients with a certificate. */
@UsesEncryptedStack
class DatabaseTlsTest {
  private static final Duration END = Duration.ofSeconds(180);

  private final EncryptedStack encrypted;
  private final StandaloneStack stack;
  private final Path folder;

  DatabaseTlsTest(EncryptedStack encrypted) {
    this.encrypted = encrypted;
    this.stack = encrypted.stack();
    this.folder = encrypted.on().folder;
  }

  @Test
  void shouldMigrateAndCompleteRuns() throws Exception {
    AcceptanceApiClient api = encrypted.on().api;
    api.push("{name: encrypted, steps: [{id: a, shell: 'true'}]}");
    String run = api.start("encrypted", Json.mapper().createObjectNode());

    Await.until(
        "run " + run + " has completed",
        END,
        () -> api.run(run).path("status").asText().equals("completed"));
  }

  @Test
  void shouldNotStartWithAnotherAuthority() throws Exception {
    Path other = Files.createTempDirectory(folder, "other");

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
    Issued server = encrypted.database();
    Path kept = folder.resolve("kept");
    Path keptKey = folder.resolve("kept.key");
    Files.copy(server.certificate(), kept);
    Files.copy(server.key(), keptKey, StandardCopyOption.COPY_ATTRIBUTES);
    try {
      encrypted.authority().issue("database", EncryptedStack.LOOPBACK, "-3d", 1);
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

  private int stackPort() throws Exception {
    return Json.mapper()
        .readTree(folder.resolve("stack/stack.json").toFile())
        .path("ports")
        .path("postgres")
        .asInt();
  }

  /** Lets Postgres read its certificate again; running connections stay. */
  private void reload(int times) throws Exception {
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

  private void assertNotStarted(StackComponent service, Map<String, String> changes, String message)
      throws Exception {
    Map<String, String> environment = new HashMap<>(encrypted.databaseSettings());
    environment.putAll(changes);
    ServiceStartAssert.assertNotStarted(stack, service, environment, message);
  }
}
