/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.protocol.audit.AuditRecord;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.MutinyEmitter;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.eclipse.microprofile.reactive.messaging.Channel;

/**
 * Publishes the orchestrator's records to Kafka: events of the trace with Kafka's producer, all
 * others with emitters, of which each topic has its own, so that a topic that is not available
 * delays no other. Keeps records of one run in one topic in the order of the calls. Thread-safe.
 *
 * <p>A channel holds a bounded number of records that the broker has not acknowledged ({@code
 * max-inflight-messages} plus the emitter's buffer); a further record fails at once. No failed
 * record is repeated here: the caller does that.
 */
@ApplicationScoped
public class KafkaEventPublisher {
  private static final String SIGNALS = "published-signals";
  private static final Duration CONNECT = Duration.ofSeconds(30);

  private final Producer<String, byte[]> producer;
  private final KafkaClientService clients;
  private final TracePartitionCounter partitions;
  private final MutinyEmitter<ProducerRecord<String, byte[]>> signals;
  private final MutinyEmitter<ProducerRecord<String, byte[]>> notifications;
  private final MutinyEmitter<ProducerRecord<String, byte[]>> deadLetters;
  private final MutinyEmitter<ProducerRecord<String, byte[]>> audit;
  private final LeaseSigner signer;
  private final URI source;

  KafkaEventPublisher(
      Producer<String, byte[]> producer,
      KafkaClientService clients,
      TracePartitionCounter partitions,
      @Channel(SIGNALS) MutinyEmitter<ProducerRecord<String, byte[]>> signals,
      @Channel("notifications") MutinyEmitter<ProducerRecord<String, byte[]>> notifications,
      @Channel("dead-letters") MutinyEmitter<ProducerRecord<String, byte[]>> deadLetters,
      @Channel("audit") MutinyEmitter<ProducerRecord<String, byte[]>> audit,
      LeaseSigner signer,
      OrchestratorConfig config) {
    this.signer = signer;
    this.producer = producer;
    this.clients = clients;
    this.partitions = partitions;
    this.signals = signals;
    this.notifications = notifications;
    this.deadLetters = deadLetters;
    this.audit = audit;
    this.source = URI.create("/orchestrator/" + config.instanceId());
  }

  public URI source() {
    return source;
  }

  /** Fetches the metadata that the first record of each topic would wait for. Blocks up to 90 s. */
  public void connect() {
    producer.partitionsFor(TopicName.TRACE);
    clients.getProducer(SIGNALS).partitionsFor(TopicName.SIGNALS).await().atMost(CONNECT);
  }

  /**
   * Completes when all in-sync replicas have the event; fails after 30 s. May block for the topic's
   * metadata, so never call it from an event loop. Fails at once when the topic does not have the
   * partition: Kafka's client would block for a minute.
   *
   * @param event for the trace; without a partition Kafka's client chooses one
   */
  CompletableFuture<Void> trace(ProducerRecord<String, byte[]> event) {
    Integer home = event.partition();
    if (home != null && !partitions.has(home)) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "%s has %d partitions, the home partition of run %s is %d: was the topic created again with fewer?"
                  .formatted(TopicName.TRACE, partitions.partitions(), event.key(), home)));
    }
    CompletableFuture<Void> sent = new CompletableFuture<>();
    producer.send(
        event,
        (metadata, failure) -> {
          if (failure == null) {
            sent.complete(null);
          } else {
            sent.completeExceptionally(failure);
          }
        });
    return sent;
  }

  /**
   * Signs and publishes a signal. Does not block.
   *
   * @return completes when all in-sync replicas have the record; fails after 30 s, or at once when
   *     too many records of the topic are not acknowledged
   */
  public CompletableFuture<Void> signal(RunnerSignal signal) {
    ProducerRecord<String, byte[]> record = JsonEventCodec.encode(source, signal);
    signer.sign(List.of(record));
    return signals.send(record).subscribeAsCompletionStage();
  }

  /** Like {@link #signal}, for a notification; see {@link JsonEventCodec#notification}. */
  public CompletableFuture<Void> notification(String id, String event, String run, String body) {
    return notifications
        .send(
            JsonEventCodec.notification(
                source, id, event, run, body.getBytes(StandardCharsets.UTF_8)))
        .subscribeAsCompletionStage();
  }

  /** Like {@link #signal}, for a record of the audit log, which is not signed. */
  public Uni<Void> audit(AuditRecord record) {
    return audit.send(JsonEventCodec.audit(source, record));
  }

  /**
   * Publishes a record that cannot be read to the dead-letter topic, with the reason. Fails like
   * {@link #signal}. Does not block.
   */
  public Uni<Void> deadLetter(ConsumerRecord<String, byte[]> record, String reason) {
    DeadLetter letter =
        DeadLetter.of(
                record.headers(),
                record.value(),
                reason,
                record.topic(),
                record.partition(),
                record.offset())
            .cut();
    return deadLetters.send(
        new ProducerRecord<>(
            TopicName.deadLetters(record.topic()),
            null,
            record.key(),
            letter.value(),
            letter.headers()));
  }
}
