/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import com.github.dockerjava.api.model.PortBinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * Starts Kafka, Postgres and an S3 server as containers of one network, each named as in {@code
 * docker-compose.yml}, and publishes their ports to this machine.
 */
final class ServerContainerGroup implements AutoCloseable {
  static final String DATABASE = "baton";
  static final String REGION = "us-east-1";
  static final int ORCHESTRATOR_PORT = 7070;
  private static final Duration START_BOUND = Duration.ofSeconds(120);
  private static final int PORT_ATTEMPTS = 3;
  private static final int HOST_LISTENER = 19_092;
  private static final int POSTGRES_PORT = 5_432;
  private static final int S3_PORT = 9_000;

  final Network network = Network.newNetwork();
  final String databasePassword = secret();
  final String accessKey = "baton" + secret().substring(0, 12);
  final String secretKey = secret();

  private final ContainerStack containers = new ContainerStack();
  private final GenericContainer<?> postgres;
  private final GenericContainer<?> s3;
  private final int kafkaPort;

  /** Starts the servers, or skips the test where an image is missing. */
  ServerContainerGroup(ComposeImageResolver images) throws IOException, InterruptedException {
    try {
      postgres =
          containers.start(
              new GenericContainer<>(images.pulled("postgres"))
                  .withEnv("POSTGRES_USER", DATABASE)
                  .withEnv("POSTGRES_DB", DATABASE)
                  .withEnv("POSTGRES_PASSWORD", databasePassword)
                  .waitingFor(
                      // Over TCP: while the database is being created it listens on its socket
                      // only.
                      Wait.forSuccessfulCommand(
                              "pg_isready --quiet --host=127.0.0.1 --username=baton --dbname=baton")
                          .withStartupTimeout(START_BOUND)),
              network,
              "postgres",
              publish(0, POSTGRES_PORT));
      s3 =
          containers.start(
              new GenericContainer<>(images.pulled("s3"))
                  .withCommand("server", "/data")
                  .withEnv("MINIO_ROOT_USER", accessKey)
                  .withEnv("MINIO_ROOT_PASSWORD", secretKey)
                  .waitingFor(listening(S3_PORT)),
              network,
              "s3",
              publish(0, S3_PORT));
      kafkaPort = startKafka(images);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** A broker announces its port, so it is chosen before; another program may take it first. */
  private int startKafka(ComposeImageResolver images) throws IOException, InterruptedException {
    DockerImageName image = images.pulled("kafka");
    for (int attempt = 1; ; attempt++) {
      int port = freePort();
      try {
        containers.start(
            new GenericContainer<>(image)
                .withEnv(broker("PLAINTEXT://kafka:9092,HOST://" + host() + ":" + port))
                .waitingFor(listening(HOST_LISTENER)),
            network,
            "kafka",
            publish(port, HOST_LISTENER));
        return port;
      } catch (RuntimeException e) {
        if (attempt == PORT_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static Map<String, String> broker(String advertised) {
    return Map.ofEntries(
        Map.entry("CLUSTER_ID", "YmF0b24tZG9ja2VyLTAwMQ"),
        Map.entry("KAFKA_NODE_ID", "1"),
        Map.entry("KAFKA_PROCESS_ROLES", "broker,controller"),
        Map.entry(
            "KAFKA_LISTENERS",
            "PLAINTEXT://:9092,HOST://:" + HOST_LISTENER + ",CONTROLLER://:9093"),
        Map.entry("KAFKA_ADVERTISED_LISTENERS", advertised),
        Map.entry(
            "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP",
            "PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT,CONTROLLER:PLAINTEXT"),
        Map.entry("KAFKA_INTER_BROKER_LISTENER_NAME", "PLAINTEXT"),
        Map.entry("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER"),
        Map.entry("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@127.0.0.1:9093"),
        Map.entry("KAFKA_LOG_DIRS", "/var/lib/kafka/data"),
        Map.entry("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false"),
        Map.entry("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1"),
        Map.entry("KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR", "1"),
        Map.entry("KAFKA_TRANSACTION_STATE_LOG_MIN_ISR", "1"),
        Map.entry("KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR", "1"),
        Map.entry("KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR", "1"),
        Map.entry("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0"),
        Map.entry("KAFKA_HEAP_OPTS", "-Xmx512m -Xms128m"));
  }

  /** Starts another container in the network; it is removed with the group. */
  GenericContainer<?> start(GenericContainer<?> container, String alias, PortBinding... ports) {
    return containers.start(container, network, alias, ports);
  }

  /** The servers' settings for a store on this machine. */
  Map<String, String> storeSettings() {
    return Map.of(
        "kafka.bootstrap.servers",
        host() + ":" + kafkaPort,
        "baton.db.host",
        host(),
        "baton.db.port",
        Integer.toString(postgres.getMappedPort(POSTGRES_PORT)),
        "baton.db.name",
        DATABASE,
        "baton.db.user",
        DATABASE,
        "baton.db.password",
        databasePassword,
        "baton.object-store.endpoint",
        s3Endpoint().toString(),
        "baton.object-store.bucket",
        "baton",
        "baton.object-store.access-key",
        accessKey,
        "baton.object-store.secret-key",
        secretKey);
  }

  URI s3Endpoint() {
    return URI.create("http://" + host() + ":" + s3.getMappedPort(S3_PORT));
  }

  /** The last lines of each container. */
  String logs() {
    return containers.logs();
  }

  /** Publishes a port, on loopback where the engine is that of this machine; 0 is any free one. */
  static PortBinding publish(int port, int inner) {
    String address = isLocal() ? "127.0.0.1" : "0.0.0.0";
    return PortBinding.parse(address + ":" + (port == 0 ? "" : port) + ":" + inner);
  }

  private static org.testcontainers.containers.wait.strategy.WaitStrategy listening(int port) {
    return Wait.forSuccessfulCommand("bash -c '</dev/tcp/127.0.0.1/" + port + "'")
        .withStartupTimeout(START_BOUND);
  }

  private static boolean isLocal() {
    try {
      return InetAddress.getByName(host()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new UncheckedIOException("the host of the Docker engine has no address", e);
    }
  }

  /** The name under which published ports are reached from this machine. */
  static String host() {
    return DockerClientFactory.instance().dockerHostIpAddress();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  static String secret() {
    return List.of(UUID.randomUUID(), UUID.randomUUID()).toString().replaceAll("\\W", "");
  }

  @Override
  public void close() {
    containers.close();
    network.close();
  }
}
