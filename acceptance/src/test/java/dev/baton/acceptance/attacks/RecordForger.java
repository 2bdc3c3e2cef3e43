/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import dev.baton.acceptance.CloudEventHeaderFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A program with nothing but a producer, which writes records in the names of others. */
final class RecordForger implements AutoCloseable {
  private static final int SEND_SECONDS = 30;

  private final KafkaProducer<byte[], byte[]> producer;

  RecordForger(String kafka) {
    producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                SEND_SECONDS * 1_000),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Writes an event of the orchestrator. */
  void control(String run, long seq, String type, String json) throws Exception {
    send("baton.trace", run, run + "/c/" + seq, "/orchestrator", type, json);
  }

  /** Writes a heartbeat of a runner. */
  void heartbeat(String run, String json) throws Exception {
    send("baton.heartbeats", run, UUID.randomUUID().toString(), "/runner", "heartbeat", json);
  }

  /** Writes a signal of a launcher. */
  void signal(String run, String type, String json) throws Exception {
    send("baton.signals", run, UUID.randomUUID().toString(), "/launcher", type, json);
  }

  private void send(String topic, String run, String id, String source, String type, String json)
      throws InterruptedException, ExecutionException, TimeoutException {
    ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, bytes(run), bytes(json));
    CloudEventHeaderFactory.of(run, id, source, type)
        .forEach((name, value) -> record.headers().add(name, bytes(value)));
    producer.send(record).get(SEND_SECONDS, TimeUnit.SECONDS);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close();
  }
}
