/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import io.smallrye.common.annotation.Identifier;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Creates the producer and the admin client of the service; both are thread-safe. */
@ApplicationScoped
class KafkaClientFactory {
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final int REQUEST_MILLIS = 5_000;
  private static final int DELIVERY_MILLIS = 30_000;

  private final Map<String, Object> kafka;

  KafkaClientFactory(@Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.kafka = kafka;
  }

  @Produces
  @Singleton
  Admin admin() {
    return Admin.create(
        with(
            Map.of(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                REQUEST_MILLIS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                REQUEST_MILLIS,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                1_000)));
  }

  private Map<String, Object> with(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.putAll(more);
    return settings;
  }

  void close(@Disposes Admin admin) {
    admin.close(CLOSE);
  }

  @Produces
  @Singleton
  Producer<String, byte[]> producer() {
    return new KafkaProducer<>(
        with(
            Map.of(
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                true,
                ProducerConfig.LINGER_MS_CONFIG,
                0,
                ProducerConfig.BATCH_SIZE_CONFIG,
                64 * 1024,
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                16L * 1024 * 1024,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                DELIVERY_MILLIS,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                REQUEST_MILLIS,
                ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                1_000)),
        new StringSerializer(),
        new ByteArraySerializer());
  }

  void close(@Disposes Producer<String, byte[]> producer) {
    producer.close(CLOSE);
  }
}
