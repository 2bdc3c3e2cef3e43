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

/** Creates the Kafka producers of this process. */
public final class ProducerSettings {
  /**
   * Delivery timeout of an append: one hour, after which the runner gives up and its runs fail
   * over. Until then an outage of the brokers loses no events: the producer buffers unacknowledged
   * events and sends them in order and exactly once when the brokers are available again.
   */
  public static final int DELIVERY_TIMEOUT_MS = 3_600_000;

  private ProducerSettings() {}

  /**
   * Loads the classes that a producer needs, its settings and the protocol's messages, without
   * creating a producer.
   */
  public static void prepare() {
    ProducerConfig.configNames();
    ApiKeys.values();
  }

  /** Creates the producer of trace and heartbeats: idempotent, ordered, without loss or linger. */
  public static KafkaProducer<String, byte[]> durable(Map<String, ?> cluster, String clientId) {
    return durable(cluster, clientId, Duration.ofMillis(DELIVERY_TIMEOUT_MS));
  }

  /**
   * @param block how long a call may wait for the brokers' metadata
   */
  public static KafkaProducer<String, byte[]> durable(
      Map<String, ?> cluster, String clientId, Duration block) {
    Map<String, Object> config = common(cluster, clientId);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    config.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
    config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, block.toMillis());
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 32L << 20);
    return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
  }

  /**
   * Creates the producer of logs: lines may be lost if the brokers are unavailable for more than
   * ten seconds.
   */
  public static KafkaProducer<String, byte[]> lossy(Map<String, ?> cluster, String clientId) {
    Map<String, Object> config = common(cluster, clientId);
    config.put(ProducerConfig.ACKS_CONFIG, "1");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    config.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 10_000);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 10_000);
    config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 8L << 20);
    return new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer());
  }

  private static Map<String, Object> common(Map<String, ?> cluster, String clientId) {
    Map<String, Object> config = new HashMap<>(cluster);
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
