/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.kafka.KafkaSecuritySettings;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs Baton on a broker whose only listener requires a certificate of each client, with one for
 * each component, and admits by the names of certificates.
 */
@Tag("full")
class KafkaMutualTlsTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final int CALL_SECONDS = 60;
  private static final List<String> NAMES = List.of("ip:127.0.0.1");

  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static CertificateAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private static StandaloneStack stack;

  @BeforeAll
  static void start() throws Exception {
    folder = Files.createTempDirectory("baton-kafka-mutual-tls-");
    authority = CertificateAuthority.of(Files.createDirectory(folder.resolve("own")));
    for (String name : List.of("broker", "orchestrator", "checkpoint-store", "runner", "visitor")) {
      store(name, authority);
    }
    store("stranger", CertificateAuthority.of(Files.createDirectory(folder.resolve("other"))));
    Path broker =
        Files.writeString(
            folder.resolve("broker.properties"),
            """
            listener.security.protocol.map=PLAINTEXT:SSL,CONTROLLER:PLAINTEXT
            ssl.client.auth=required
            ssl.keystore.type=PEM
            ssl.keystore.location=%s
            ssl.truststore.type=PEM
            ssl.truststore.location=%s
            authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
            allow.everyone.if.no.acl.found=false
            super.users=User:CN=broker;User:CN=orchestrator;User:CN=checkpoint-store;User:CN=runner;User:ANONYMOUS
            """
                .formatted(file("broker"), authority.certificate()));
    StackBuilder all =
        SharedStackExtension.builder()
            .data(folder.resolve("stack"))
            .environment(StackComponent.KAFKA, "BATON_KAFKA_SERVER_PROPERTIES", broker.toString());
    for (StackComponent service : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      settings(service.label())
          .forEach(
              (key, value) -> all.environment(service, KafkaSecuritySettings.variable(key), value));
    }
    StringBuilder runner = new StringBuilder();
    settings("runner")
        .forEach(
            (key, value) ->
                runner
                    .append(key.substring(KafkaSecuritySettings.PREFIX.length()))
                    .append('=')
                    .append(value)
                    .append('\n'));
    Path client = Files.writeString(folder.resolve("runner.properties"), runner);
    stack =
        all.environment(
                StackComponent.ORCHESTRATOR, "BATON_RUNNER_KAFKA_CLIENT_FILE", client.toString())
            .start();
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
    DirectoryTreeDeleter.delete(folder);
  }

  private static Path file(String name) {
    return folder.resolve(name + ".pem");
  }

  /** Writes a certificate with its key in one file, as Kafka's clients take them. */
  private static void store(String name, CertificateAuthority issuer)
      throws IOException, InterruptedException {
    Issued issued = issuer.issue(name, NAMES, 2);
    Files.writeString(
        file(name), Files.readString(issued.key()) + Files.readString(issued.certificate()));
  }

  private static Map<String, String> settings(String name) {
    return Map.of(
        "baton.kafka.security.protocol",
        "SSL",
        "baton.kafka.ssl.truststore.type",
        "PEM",
        "baton.kafka.ssl.truststore.location",
        authority.certificate().toString(),
        "baton.kafka.ssl.keystore.type",
        "PEM",
        "baton.kafka.ssl.keystore.location",
        file(name).toString());
  }

  private static Admin admin(Map<String, String> keys) {
    Map<String, Object> client =
        KafkaSecuritySettings.read(key -> Optional.ofNullable(keys.get(key)))
            .client(stack.kafkaBootstrap());
    client.put("default.api.timeout.ms", CALL_SECONDS * 1_000);
    return Admin.create(client);
  }

  private static void describe(Map<String, String> keys) throws Exception {
    try (Admin admin = admin(keys)) {
      admin.listTopics().names().get(CALL_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldCompleteRunsWithACertificateForEachComponent() throws Exception {
    AcceptanceApiClient api = new AcceptanceApiClient(stack.orchestratorUrl(), stack.apiKey());
    api.push("{name: mutual, steps: [{id: a, shell: echo done}]}");
    String run = api.start("mutual", Json.mapper().createObjectNode());

    Await.until(
        "run " + run + " has completed",
        END,
        () -> api.run(run).path("status").asText().equals("completed"));

    for (StackComponent service : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      assertThat(Files.readString(stack.log(service)))
          .doesNotContain("AuthorizationException", "SslAuthenticationException");
    }
  }

  @Test
  void shouldRefuseClientsWithoutACertificateOfTheAuthority() throws Exception {
    Map<String, String> without = new HashMap<>(settings("orchestrator"));
    without.keySet().removeIf(key -> key.contains("keystore"));
    for (Map<String, String> refused : List.of(without, settings("stranger"))) {
      assertThatThrownBy(() -> describe(refused))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(SslAuthenticationException.class);
    }
    describe(settings("orchestrator"));
  }

  @Test
  void shouldGiveNoRightsToAnotherNameOfTheAuthority() {
    try (Admin visitor = admin(settings("visitor"))) {
      assertThatThrownBy(
              () ->
                  visitor
                      .createTopics(List.of(new NewTopic("baton.visitor", 1, (short) 1)))
                      .all()
                      .get(CALL_SECONDS, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(AuthorizationException.class);
    }
  }
}
