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
import dev.baton.protocol.net.BearerCredential;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Runs Baton on a broker whose only listener requires TLS and a user, with the ACLs of
 * docs/security.md and a user for each component.
 */
class KafkaSecurityTest {
  private static final Duration END = Duration.ofSeconds(180);
  private static final int CALL_SECONDS = 60;
  private static final String PASSWORD = "changeit-1";

  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static StandaloneStack stack;

  @BeforeAll
  static void start() throws Exception {
    folder = Files.createTempDirectory("baton-kafka-security-");
    certificate("broker");
    certificate("stranger");
    for (String user : List.of("broker", "orchestrator", "checkpoint-store", "runner")) {
      Files.writeString(folder.resolve(user + ".password"), password(user) + "\n");
    }
    Path broker =
        Files.writeString(
            folder.resolve("broker.properties"),
            """
            listener.security.protocol.map=PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT
            sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
            sasl.mechanism.inter.broker.protocol=PLAIN
            listener.name.plaintext.plain.sasl.jaas.config=\
              org.apache.kafka.common.security.plain.PlainLoginModule required \
              username="broker" password="%1$s" user_broker="%1$s" \
              user_orchestrator="%2$s" user_checkpoint-store="%3$s";
            listener.name.plaintext.scram-sha-512.sasl.jaas.config=\
              org.apache.kafka.common.security.scram.ScramLoginModule required;
            ssl.keystore.location=%4$s
            ssl.keystore.password=%5$s
            ssl.key.password=%5$s
            ssl.truststore.type=PEM
            ssl.truststore.location=%6$s
            authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
            allow.everyone.if.no.acl.found=false
            super.users=User:broker;User:ANONYMOUS
            """
                .formatted(
                    password("broker"),
                    password("orchestrator"),
                    password("checkpoint-store"),
                    folder.resolve("broker.p12"),
                    PASSWORD,
                    folder.resolve("broker.pem")));
    // The broker stores users and ACLs in its data, which the complete stack continues.
    try (StandaloneStack alone = builder(broker).components(StackComponent.KAFKA).start();
        Admin admin = Admin.create(client("broker", alone.kafkaBootstrap()))) {
      allow(admin);
    }
    StackBuilder all = builder(broker);
    for (StackComponent service : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      settings(service.label(), "broker")
          .forEach(
              (key, value) -> all.environment(service, KafkaSecuritySettings.variable(key), value));
    }
    Path runner =
        Files.writeString(
            folder.resolve("runner.properties"),
            """
            security.protocol=SASL_SSL
            sasl.mechanism=SCRAM-SHA-512
            sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
              username="runner" password="%s";
            ssl.truststore.type=PEM
            ssl.truststore.location=%s
            """
                .formatted(password("runner"), folder.resolve("broker.pem")));
    stack =
        all.environment(
                StackComponent.ORCHESTRATOR, "BATON_RUNNER_KAFKA_CLIENT_FILE", runner.toString())
            .start();
  }

  private static StackBuilder builder(Path broker) throws Exception {
    return SharedStackExtension.builder()
        .data(folder.resolve("stack"))
        .environment(StackComponent.KAFKA, "BATON_KAFKA_SERVER_PROPERTIES", broker.toString());
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
    DirectoryTreeDeleter.delete(folder);
  }

  private static String password(String user) {
    return "secret-of-" + user;
  }

  /** Creates a key with its certificate for 127.0.0.1, and that certificate as PEM. */
  private static void certificate(String name) throws Exception {
    String store = folder.resolve(name + ".p12").toString();
    List<String> access = List.of("-keystore", store, "-storepass", PASSWORD, "-alias", name);
    keytool(
        access,
        "-genkeypair",
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-storetype",
        "PKCS12",
        "-validity",
        "2",
        "-dname",
        "CN=" + name,
        "-ext",
        "san=ip:127.0.0.1");
    keytool(access, "-exportcert", "-rfc", "-file", folder.resolve(name + ".pem").toString());
  }

  private static void keytool(List<String> access, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(access);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).describedAs(output).isZero();
  }

  private static Map<String, String> settings(String user, String trusted) {
    return Map.of(
        "baton.kafka.security.protocol",
        "SASL_SSL",
        "baton.kafka.sasl.mechanism",
        "PLAIN",
        "baton.kafka.sasl.username",
        user,
        "baton.kafka.sasl.password-file",
        folder.resolve(user + ".password").toString(),
        "baton.kafka.ssl.truststore.type",
        "PEM",
        "baton.kafka.ssl.truststore.location",
        folder.resolve(trusted + ".pem").toString());
  }

  private static Map<String, Object> client(Map<String, String> keys, String bootstrap) {
    Map<String, Object> client =
        KafkaSecuritySettings.read(key -> Optional.ofNullable(keys.get(key))).client(bootstrap);
    client.put("default.api.timeout.ms", CALL_SECONDS * 1_000);
    return client;
  }

  private static Map<String, Object> client(String user, String bootstrap) {
    return client(settings(user, "broker"), bootstrap);
  }

  /** Creates the ACLs of docs/security.md, and the runners' user. */
  private static void allow(Admin admin) throws Exception {
    List<AclBinding> bindings = new ArrayList<>();
    for (String user : List.of("orchestrator", "checkpoint-store")) {
      for (AclOperation operation :
          List.of(
              AclOperation.CREATE,
              AclOperation.READ,
              AclOperation.WRITE,
              AclOperation.DESCRIBE,
              AclOperation.DESCRIBE_CONFIGS)) {
        bindings.add(acl(user, ResourceType.TOPIC, "baton.", operation));
      }
    }
    bindings.add(acl("checkpoint-store", ResourceType.GROUP, "baton.", AclOperation.READ));
    bindings.add(acl("orchestrator", ResourceType.TOPIC, "baton-liveness-", AclOperation.ALL));
    bindings.add(acl("orchestrator", ResourceType.GROUP, "baton-", AclOperation.READ));
    bindings.add(acl("orchestrator", ResourceType.GROUP, "baton-", AclOperation.DELETE));
    for (String topic : List.of("baton.trace", "baton.heartbeats", "baton.logs")) {
      bindings.add(
          new AclBinding(
              new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
              entry("runner", AclOperation.WRITE)));
    }
    admin.createAcls(bindings).all().get(CALL_SECONDS, TimeUnit.SECONDS);
    admin
        .alterUserScramCredentials(
            List.of(
                new UserScramCredentialUpsertion(
                    "runner",
                    new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4_096),
                    password("runner"))))
        .all()
        .get(CALL_SECONDS, TimeUnit.SECONDS);
  }

  private static AclBinding acl(
      String user, ResourceType type, String prefix, AclOperation operation) {
    return new AclBinding(
        new ResourcePattern(type, prefix, PatternType.PREFIXED), entry(user, operation));
  }

  private static AccessControlEntry entry(String user, AclOperation operation) {
    return new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW);
  }

  @Test
  void shouldCompleteRunsAndReadLogsWithTheLeastRights() throws Exception {
    AcceptanceApiClient api = new AcceptanceApiClient(stack.orchestratorUrl(), stack.apiKey());
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
        .doesNotContain("AuthorizationException", password("checkpoint-store"));
    assertThat(Files.readString(stack.log(StackComponent.ORCHESTRATOR)))
        .doesNotContain("AuthorizationException", password("orchestrator"), password("runner"));
    assertThat(
            ProcessHandle.allProcesses()
                .flatMap(process -> process.info().commandLine().stream())
                .filter(line -> line.contains(folder.toString()))
                .filter(line -> line.contains("secret-of-")))
        .isEmpty();
  }

  private static String logs(String run) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
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
    assertThatThrownBy(
            () -> describe(client(settings("orchestrator", "stranger"), stack.kafkaBootstrap())))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SslAuthenticationException.class);
    Map<String, String> wrong = new HashMap<>(settings("orchestrator", "broker"));
    wrong.put("baton.kafka.sasl.password", "wrong");
    assertThatThrownBy(() -> describe(client(wrong, stack.kafkaBootstrap())))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(SaslAuthenticationException.class);
    describe(client("orchestrator", stack.kafkaBootstrap()));
  }

  private static void describe(Map<String, Object> client) throws Exception {
    try (Admin admin = Admin.create(client)) {
      admin.listTopics().names().get(CALL_SECONDS, TimeUnit.SECONDS);
    }
  }
}
