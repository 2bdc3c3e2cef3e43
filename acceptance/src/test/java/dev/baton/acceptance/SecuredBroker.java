/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.protocol.kafka.KafkaSecuritySettings;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A broker whose only listener requires TLS and a user, with the ACLs of docs/security.md and a
 * user for each component.
 *
 * @param folder of its settings and passwords
 * @param authority of its certificate
 */
record SecuredBroker(Path folder, CertificateAuthority authority) {
  private static final int CALL_SECONDS = 60;
  private static final String BROKER = "broker.properties";
  private static final String RUNNER = "runner.properties";

  /** Writes the settings of the broker and the runners, and the passwords. */
  static SecuredBroker create(Path folder, CertificateAuthority authority)
      throws IOException, InterruptedException {
    Issued issued = authority.issue("broker", EncryptedStack.LOOPBACK, 2);
    Path certificate =
        Files.writeString(
            folder.resolve("broker.pem"),
            Files.readString(issued.key()) + Files.readString(issued.certificate()));
    for (String user : List.of("broker", "orchestrator", "checkpoint-store", "runner")) {
      Files.writeString(folder.resolve(user + ".password"), password(user) + "\n");
    }
    Files.writeString(
        folder.resolve(BROKER),
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
        ssl.keystore.type=PEM
        ssl.keystore.location=%4$s
        ssl.truststore.type=PEM
        ssl.truststore.location=%5$s
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        allow.everyone.if.no.acl.found=false
        super.users=User:broker;User:ANONYMOUS
        """
            .formatted(
                password("broker"),
                password("orchestrator"),
                password("checkpoint-store"),
                certificate,
                authority.certificate()));
    Files.writeString(
        folder.resolve(RUNNER),
        """
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
          username="runner" password="%s";
        ssl.truststore.type=PEM
        ssl.truststore.location=%s
        """
            .formatted(password("runner"), authority.certificate()));
    return new SecuredBroker(folder, authority);
  }

  /** Lets a stack have this broker, and its runners the user of runners. */
  StackBuilder configure(StackBuilder stack) {
    return stack
        .environment(
            StackComponent.KAFKA,
            "BATON_KAFKA_SERVER_PROPERTIES",
            folder.resolve(BROKER).toString())
        .environment(
            StackComponent.ORCHESTRATOR,
            "BATON_RUNNER_KAFKA_CLIENT_FILE",
            folder.resolve(RUNNER).toString());
  }

  static String password(String user) {
    return "secret-of-" + user;
  }

  /**
   * Returns the keys of a user.
   *
   * @param trusted the certificate of the authority that the client trusts
   */
  Map<String, String> settings(String user, Path trusted) {
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
        trusted.toString());
  }

  /** Returns the configuration of a Kafka client with these keys. */
  static Map<String, Object> client(Map<String, String> keys, String bootstrap) {
    Map<String, Object> client =
        KafkaSecuritySettings.read(key -> Optional.ofNullable(keys.get(key))).client(bootstrap);
    client.put("default.api.timeout.ms", CALL_SECONDS * 1_000);
    return client;
  }

  /** Returns the configuration of a Kafka client of a user. */
  Map<String, Object> client(String user, String bootstrap) {
    return client(settings(user, authority.certificate()), bootstrap);
  }

  /** Creates the ACLs of docs/security.md, and the runners' user. */
  void allow(Admin admin) throws Exception {
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
}
