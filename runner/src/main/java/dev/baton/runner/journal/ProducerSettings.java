/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The producers of this process. */
public final class ProducerSettings {
  /**
   * How long an append may take before the runner gives up and its runs fail over: an hour. Until
   * then the brokers may be away and nothing is lost: what is not acknowledged waits in the
   * producer, which sends it in order and once when they are back.
   */
  public static final int DELIVERY_TIMEOUT_MS = 3_600_000;

  private ProducerSettings() {}

  /**
   * Loads what a producer needs, and makes none: its settings, and the messages of the protocol.
   */
  public static void prepare() {
    ProducerConfig.configNames();
    ApiKeys.values();
  }

  /** For the trace and heartbeats: nothing lost, nothing twice, in order, and no lingering. */
  public static KafkaProducer<String, byte[]> durable(String bootstrapServers, String clientId) {
    return durable(bootstrapServers, clientId, Duration.ofMillis(DELIVERY_TIMEOUT_MS));
  }

  /**
   * @param block how long a call may wait for the brokers to say who they are
   */
  public static KafkaProducer<String, byte[]> durable(
      String bootstrapServers, String clientId, Duration block) {
    Map<String, Object> config = common(bootstrapServers, clientId);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
    config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, block.toMillis());
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 32L << 20);
    return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
  }

  /** For logs: a line may get lost when the brokers are away for longer than ten seconds. */
  public static KafkaProducer<String, byte[]> lossy(String bootstrapServers, String clientId) {
    Map<String, Object> config = common(bootstrapServers, clientId);
    config.put(ProducerConfig.ACKS_CONFIG, "1");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    config.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000);
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 8L << 20);
    return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
  }

  private static Map<String, Object> common(String bootstrapServers, String clientId) {
    Map<String, Object> config = new HashMap<>();
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    config.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 << 10);
    config.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, 50);
    config.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
    config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 20);
    config.put(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 1_000);
    // Start-up time is failover time: no JMX beans, no telemetry handshake.
    config.put(ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, "");
    config.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    return config;
  }
}
