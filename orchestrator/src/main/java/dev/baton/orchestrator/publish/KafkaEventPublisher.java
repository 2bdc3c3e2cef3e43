/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceRecord;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Publishes the orchestrator's records to Kafka. Keeps records of one run in the order of the
 * calls. Thread-safe; a call may block for the topic's metadata, so never call it from an event
 * loop.
 */
@ApplicationScoped
public class KafkaEventPublisher {
  private final Producer<String, byte[]> producer;
  private final URI source;

  KafkaEventPublisher(Producer<String, byte[]> producer, OrchestratorConfig config) {
    this.producer = producer;
    this.source = URI.create("/orchestrator/" + config.instanceId());
  }

  public URI source() {
    return source;
  }

  /** Fetches the metadata that the first record of each topic would wait for. Blocks. */
  public void connect() {
    producer.partitionsFor(TopicName.TRACE);
    producer.partitionsFor(TopicName.SIGNALS);
  }

  /** Completes when all in-sync replicas have the event; fails after 30 s. */
  public CompletableFuture<Void> trace(TraceRecord record) {
    return send(TraceCodec.encode(TopicName.TRACE, record, null));
  }

  /** Like {@link #trace}, for a signal. */
  public CompletableFuture<Void> signal(RunnerSignal signal) {
    return send(JsonEventCodec.encode(source, signal));
  }

  /** Like {@link #trace}, for a notification; see {@link JsonEventCodec#notification}. */
  public CompletableFuture<Void> notification(String id, String event, String run, String body) {
    return send(
        JsonEventCodec.notification(source, id, event, run, body.getBytes(StandardCharsets.UTF_8)));
  }

  /** Publishes a record that cannot be read to the dead-letter topic, with the reason. */
  public CompletableFuture<Void> deadLetter(ConsumerRecord<String, byte[]> record, String reason) {
    DeadLetter letter =
        DeadLetter.of(
                record.headers(),
                record.value(),
                reason,
                record.topic(),
                record.partition(),
                record.offset())
            .cut();
    return send(
        new ProducerRecord<>(
            TopicName.deadLetters(record.topic()),
            null,
            record.key(),
            letter.value(),
            letter.headers()));
  }

  private CompletableFuture<Void> send(ProducerRecord<String, byte[]> record) {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    producer.send(
        record,
        (metadata, failure) -> {
          if (failure == null) {
            sent.complete(null);
          } else {
            sent.completeExceptionally(failure);
          }
        });
    return sent;
  }
}
