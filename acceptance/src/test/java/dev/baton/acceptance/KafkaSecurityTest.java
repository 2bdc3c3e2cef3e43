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
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

/** Runs Baton on a {@link SecuredBroker}. */
@UsesEncryptedStack
class KafkaSecurityTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final int CALL_SECONDS = 60;

  private final EncryptedStack encrypted;
  private final StandaloneStack stack;

  KafkaSecurityTest(EncryptedStack encrypted) {
    this.encrypted = encrypted;
    this.stack = encrypted.stack();
  }

  @Test
  void shouldCompleteRunsAndReadLogsWithTheLeastRights() throws Exception {
    AcceptanceApiClient api = encrypted.on().api;
    api.push(
        """
        name: secure
        steps:
          - {id: env, shell: 'echo "[$BATON_KAFKA_CLIENT_FILE$BATON_KAFKA_SASL_USERNAME]"'}
        """);
    String run = api.start("secure", Json.mapper().createObjectNode());

    Await.until(
        "run " + run + " has completed",
        END,
        () -> api.run(run).path("status").asText().equals("completed"));

    assertThat(api.get("/dead-letters?run=" + run).status()).isEqualTo(200);
    assertThat(logs(run)).contains("[]");
    assertThat(Files.readString(stack.log(StackComponent.STORE)))
        .doesNotContain("AuthorizationException", SecuredBroker.password("checkpoint-store"));
    assertThat(Files.readString(stack.log(StackComponent.ORCHESTRATOR)))
        .doesNotContain(
            "AuthorizationException",
            SecuredBroker.password("orchestrator"),
            SecuredBroker.password("runner"));
    assertThat(
            ProcessHandle.allProcesses()
                .flatMap(process -> process.info().commandLine().stream())
                .filter(line -> line.contains(encrypted.on().folder.toString()))
                .filter(line -> line.contains("secret-of-")))
        .isEmpty();
  }

  private String logs(String run) throws Exception {
    try (HttpClient http =
        HttpClient.newBuilder().sslContext(stack.clientTls().context()).build()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(stack.orchestratorUrl() + "/runs/" + run + "/logs"))
                  .header(BearerCredential.HEADER, BearerCredential.header(stack.apiKey()))
                  .timeout(Duration.ofSeconds(CALL_SECONDS))
                  .build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  @Test
  void shouldRefuseAnotherCertificateAndAWrongPassword() throws Exception {
    CertificateAuthority stranger =
        CertificateAuthority.of(Files.createTempDirectory(encrypted.on().folder, "stranger"));
    assertThatThrownBy(() -> describe(stranger.certificate(), Map.of()))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SslAuthenticationException.class);
    Path trusted = encrypted.authority().certificate();
    assertThatThrownBy(() -> describe(trusted, Map.of("baton.kafka.sasl.password", "wrong")))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SaslAuthenticationException.class);
    describe(trusted, Map.of());
  }

  /** Runners of all projects share a user, which must not read what the others write. */
  @Test
  void shouldGiveRunnersNoRightToRead() {
    Map<String, String> keys =
        new HashMap<>(encrypted.kafka().settings("runner", encrypted.authority().certificate()));
    keys.put("baton.kafka.sasl.mechanism", "SCRAM-SHA-512");
    Map<String, Object> client = SecuredBroker.client(keys, stack.kafkaBootstrap());
    for (String topic : List.of("baton.trace", "baton.heartbeats", "baton.logs")) {
      try (KafkaConsumer<byte[], byte[]> consumer =
          new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
        List<TopicPartition> all = List.of(new TopicPartition(topic, 0));
        consumer.assign(all);
        consumer.seekToBeginning(all);

        assertThatThrownBy(() -> consumer.poll(END))
            .isInstanceOf(TopicAuthorizationException.class)
            .hasMessageContaining(topic);
      }
    }
  }

  private void describe(Path trusted, Map<String, String> changes) throws Exception {
    Map<String, String> keys = new HashMap<>(encrypted.kafka().settings("orchestrator", trusted));
    keys.putAll(changes);
    try (Admin admin = Admin.create(SecuredBroker.client(keys, stack.kafkaBootstrap()))) {
      admin.listTopics().names().get(CALL_SECONDS, TimeUnit.SECONDS);
    }
  }
}
