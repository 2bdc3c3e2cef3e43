/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.postgres.PostgresAccess;
import dev.baton.standalone.postgres.PostgresServer;
import dev.baton.standalone.state.StackState;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Ports and secrets of one stack: those of the last start where they are still available, otherwise
 * new ones.
 *
 * @param kafkaPort where Kafka's clients connect
 * @param kafkaControllerPort of Kafka's controller
 * @param storePort of the checkpoint-store, HTTP and gRPC
 * @param orchestratorPort of the orchestrator, HTTP and gRPC
 * @param postgres the database
 * @param s3 the object store
 * @param tls of both services; empty for plain HTTP
 */
record StackAccess(
    int kafkaPort,
    int kafkaControllerPort,
    int storePort,
    int orchestratorPort,
    PostgresAccess postgres,
    int s3Port,
    S3Access s3,
    Optional<StackCertificates> tls) {

  private static final String HOST = "127.0.0.1";
  private static final String LETTERS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  private static final int PREFERRED_API_PORT = 7070;
  private static final String BUCKET = "baton";
  // The default of S3 clients; the server accepts any.
  private static final String REGION = "us-east-1";

  /**
   * @param apiPort the only port allowed for the orchestrator; 0 allows any
   * @throws IOException when no port is free, or the required one is not
   */
  static StackAccess choose(
      StackState last,
      Path data,
      boolean preferApiPort,
      int apiPort,
      Optional<StackCertificates> tls)
      throws IOException {
    PortAllocator ports = new PortAllocator();
    Map<String, Integer> before = last.ports();
    if (apiPort > 0 && !PortAllocator.isFree(apiPort)) {
      throw new IOException("port " + apiPort + " is in use; give another with --port, or none");
    }
    int orchestratorPort =
        ports.choose(
            apiPort,
            before.getOrDefault("orchestrator", 0),
            preferApiPort ? PREFERRED_API_PORT : 0);
    int s3Port = ports.choose(before.getOrDefault("s3", 0));
    return new StackAccess(
        ports.choose(before.getOrDefault("kafka", 0)),
        ports.choose(before.getOrDefault("kafka_controller", 0)),
        ports.choose(before.getOrDefault("store", 0)),
        orchestratorPort,
        postgres(ports.choose(before.getOrDefault("postgres", 0)), data.resolve("postgres")),
        s3Port,
        s3(s3Port, last.s3()),
        tls);
  }

  private static PostgresAccess postgres(int port, Path folder) throws IOException {
    // The cluster accepts only the password with which it was created, even if stack.json was
    // changed.
    String password = PostgresServer.password(folder).orElseGet(StackAccess::secret);
    return new PostgresAccess(HOST, port, PostgresServer.NAME, PostgresServer.NAME, password);
  }

  private static S3Access s3(int port, StackState.@Nullable S3Secrets last) {
    String endpoint = "http://" + HOST + ":" + port;
    return last == null
        ? new S3Access(endpoint, "baton", secret(), BUCKET, REGION)
        : new S3Access(endpoint, last.accessKey(), last.secretKey(), last.bucket(), last.region());
  }

  String kafkaBootstrap() {
    return HOST + ":" + kafkaPort;
  }

  String storeUrl() {
    return service(storePort);
  }

  String orchestratorUrl() {
    return service(orchestratorPort);
  }

  /** Returns the URL of a service of this stack on that port. */
  String service(int port) {
    return tls.isPresent() ? "https://" + HOST + ":" + port : url(port);
  }

  /** Returns the URL of a service without TLS on that port of this host. */
  static String url(int port) {
    return "http://" + HOST + ":" + port;
  }

  Map<String, Integer> ports() {
    Map<String, Integer> ports = new TreeMap<>();
    ports.put("kafka", kafkaPort);
    ports.put("kafka_controller", kafkaControllerPort);
    ports.put("postgres", postgres.port());
    ports.put("s3", s3Port);
    ports.put("store", storePort);
    ports.put("orchestrator", orchestratorPort);
    return ports;
  }

  Map<String, String> urls() {
    Map<String, String> urls = new TreeMap<>();
    urls.put("kafka_bootstrap", kafkaBootstrap());
    urls.put("postgres_jdbc", postgres.jdbcUrl());
    urls.put("s3", s3.endpoint());
    urls.put("store", storeUrl());
    urls.put("orchestrator", orchestratorUrl());
    return urls;
  }

  StackState.S3Secrets s3Secrets() {
    return new StackState.S3Secrets(s3.accessKey(), s3.secretKey(), s3.bucket(), s3.region());
  }

  StackState.PostgresSecrets postgresSecrets() {
    return new StackState.PostgresSecrets(
        postgres.host(),
        postgres.port(),
        postgres.database(),
        postgres.user(),
        postgres.password());
  }

  private static String secret() {
    SecureRandom random = new SecureRandom();
    StringBuilder secret = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      secret.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return secret.toString();
  }
}
