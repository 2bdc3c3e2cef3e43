/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** Tests a foreign runner that writes in transactions and aborts some of them. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class TransactionsTest {
  private static final URI SOURCE = URI.create("/test/foreign");

  @Inject OrchestratorTestEnvironment bed;
  @Inject KafkaClientService kafka;
  @Inject ProjectionBarrier catchUp;

  @ConfigProperty(name = "kafka.bootstrap.servers")
  String servers = "";

  private KafkaProducer<String, byte[]> transactional(String run) {
    KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers, "acks", "all", "transactional.id", "tx-" + run),
            new StringSerializer(),
            new ByteArraySerializer());
    producer.initTransactions();
    return producer;
  }

  private static ProducerRecord<String, byte[]> event(String run, long seq, TraceEvent event) {
    return TraceCodec.encode(
        TopicName.TRACE,
        new TraceRecord(new EventId(run, Lane.runner(1), seq), SOURCE, Instant.now(), event),
        null);
  }

  private static TraceEvent ended(int output) {
    return new TraceEvent.RunCompleted(new Output.Inline(new IntNode(output)));
  }

  private static TraceEvent born() {
    return new TraceEvent.RunCreated(
        "external",
        "default",
        "theirs",
        null,
        null,
        Map.of(),
        null,
        "always",
        null,
        null,
        Instant.now(),
        null,
        0,
        null);
  }

  private static void abort(
      KafkaProducer<String, byte[]> producer, List<ProducerRecord<String, byte[]>> records) {
    producer.beginTransaction();
    records.forEach(producer::send);
    producer.flush();
    producer.abortTransaction();
  }

  private static void commit(
      KafkaProducer<String, byte[]> producer, List<ProducerRecord<String, byte[]>> records) {
    producer.beginTransaction();
    records.forEach(producer::send);
    producer.commitTransaction();
  }

  @Test
  void shouldCountWhatWasCommittedAndNotWhatWasAborted() {
    String run = RunId.next();
    try (TraceLog log = bed.log();
        KafkaProducer<String, byte[]> producer = transactional(run)) {
      log.append(run, Lane.CONTROL, 1, born());
      commit(producer, List.of(event(run, 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0))));
      abort(producer, List.of(event(run, 2, ended(1))));
      commit(producer, List.of(event(run, 2, ended(7))));

      JsonNode done =
          bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));

      assertThat(done.get("output").intValue()).isEqualTo(7);
    }
  }

  @Test
  void shouldBeAtTheEndOfALogThatEndsWithWhatWasAborted() {
    String run = RunId.next();
    try (TraceLog log = bed.log();
        KafkaProducer<String, byte[]> producer = transactional(run)) {
      log.append(run, Lane.CONTROL, 1, born());
      commit(producer, List.of(event(run, 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0))));
      assertThat(catchUp.await(List.of(run), Duration.ofSeconds(10))).isTrue();

      abort(producer, List.of(event(run, 2, ended(1))));
      assertThat(catchUp.await(List.of(run), Duration.ofSeconds(10))).isTrue();

      assertThat(bed.api().get("/runs/" + run).json().get("status").textValue())
          .isEqualTo("running");
      // It does not block the partition either.
      commit(producer, List.of(event(run, 2, ended(7))));
      bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));
    }
  }

  @Test
  void shouldNotHearHeartbeatsThatWereAborted() {
    String run = RunId.next();
    try (TraceLog log = bed.log();
        KafkaProducer<String, byte[]> producer = transactional(run)) {
      commit(producer, List.of(beat(run, 1)));
      abort(producer, List.of(beat(run, 2), beat(run, 2)));

      List<ConsumerRecord<String, byte[]>> signals =
          log.await(TopicName.SIGNALS, run, found -> !found.isEmpty());

      RunnerSignal missed =
          JsonEventCodec.signal(signals.getFirst().headers(), signals.getFirst().value())
              .orElseThrow();
      assertThat(((RunnerSignal.HeartbeatsMissed) missed).epoch()).isEqualTo(1);
    }
  }

  private static ProducerRecord<String, byte[]> beat(String run, int epoch) {
    return JsonEventCodec.encode(
        SOURCE, new Heartbeat(run, epoch, "test", "running", null, null, 200, 1_000, 0, 0, 0, 0));
  }

  @Test
  void shouldReadCommittedInEveryChannel() {
    assertThat(kafka.getConsumerChannels()).isNotEmpty();
    for (String channel : kafka.getConsumerChannels()) {
      assertThat(
              Objects.requireNonNull(kafka.getConsumer(channel))
                  .configuration()
                  .get(ConsumerConfig.ISOLATION_LEVEL_CONFIG))
          .as(channel)
          .isEqualTo("read_committed");
    }
  }
}
