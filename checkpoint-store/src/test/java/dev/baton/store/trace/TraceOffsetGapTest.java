/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TraceOffsetGapTest extends StoreTest {
  @Inject KafkaClientService kafka;

  @ConfigProperty(name = "kafka.bootstrap.servers")
  String servers = "";

  @Test
  void shouldReadAgainWhatWasLeftOut() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1));
    assertThat(client.snapshot(trace.run(), 1).head().epoch()).isEqualTo(1);
    ProducerRecord<String, byte[]> leftOut = trace.started(1);

    whileNotPolling(
        consumer -> {
          RecordMetadata where = log.send(leftOut).getFirst();
          consumer.seek(new TopicPartition(where.topic(), where.partition()), where.offset() + 1);
        });
    log.send(trace.completed(1, "clone", null), trace.ended(1));

    assertThat(client.idsUntilEnd(trace.run())).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void shouldGoOnWhereTheLogBeginsWhenRetentionWasFaster() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1));
    assertThat(client.snapshot(trace.run(), 1).head().epoch()).isEqualTo(1);

    whileNotPolling(
        consumer -> {
          log.send(trace.started(1));
          RecordMetadata kept = log.send(trace.completed(1, "clone", null)).getFirst();
          TopicPartition partition = new TopicPartition(kept.topic(), kept.partition());
          delete(partition, kept.offset());
          consumer.seek(partition, 0); // as after a restart: before the beginning
        });
    log.send(trace.ended(1));

    assertThat(first(trace.run(), 4))
        .containsExactly(
            trace.run() + "/c/1", trace.run() + "/c/2", trace.run() + "/1/2", trace.run() + "/1/3");
    assertThat(client.get("/q/metrics").body())
        .containsPattern("baton_store_missing_offsets_total\\S* [1-9]");
  }

  @Test
  void shouldTakeTheMarksOfTransactionsForNoGap() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1));
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>of(
                "bootstrap.servers", servers, "transactional.id", "foreign-" + trace.run()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      List<ProducerRecord<String, byte[]>> events =
          List.of(trace.started(1), trace.completed(1, "clone", null), trace.ended(1));
      for (ProducerRecord<String, byte[]> event : events) {
        producer.beginTransaction();
        producer.send(event);
        producer.commitTransaction();
      }
    }

    assertThat(client.idsUntilEnd(trace.run())).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void shouldNotStoreWhatWasAborted() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>of(
                "bootstrap.servers", servers, "transactional.id", "foreign-" + trace.run()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(trace.completed(1, "clone", null));
      producer.send(trace.ended(1));
      producer.flush();
      producer.abortTransaction();
    }
    log.send(trace.assigned(2), trace.started(2), trace.ended(2));

    assertThat(client.idsUntilEnd(trace.run()))
        .hasSize(6)
        .doesNotContain(trace.run() + "/1/2", trace.run() + "/1/3");
    assertThat(
            Objects.requireNonNull(kafka.getConsumer("trace"))
                .configuration()
                .get("isolation.level"))
        .isEqualTo("read_committed");
  }

  /** Limits the stream: for the fold a run with a gap in its lane never ends. */
  private List<String> first(String run, int many) {
    List<String> ids = new ArrayList<>();
    client
        .snapshots()
        .events(EventsRequest.newBuilder().setRun(run).setFollow(true).setLimit(many).build())
        .forEachRemaining(event -> ids.add(event.getId()));
    return ids;
  }

  private void whileNotPolling(java.util.function.Consumer<Consumer<byte[], byte[]>> work) {
    kafka
        .<byte[], byte[]>getConsumer("trace")
        .runOnPollingThread(
            (Consumer<byte[], byte[]> consumer) -> {
              work.accept(consumer);
            })
        .await()
        .indefinitely();
  }

  private void delete(TopicPartition partition, long before) {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(before))).all().get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
