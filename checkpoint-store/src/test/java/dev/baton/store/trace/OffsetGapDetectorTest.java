/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.topic.TopicName;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OffsetGapDetectorTest extends StoreTest {
  @Inject KafkaClientService kafka;
  @Inject PositionStore positions;

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

  @Test
  void shouldEndTheProcessRatherThanReadWithoutAPosition() {
    FatalErrorHandler fatal = new RecordingFatalErrorHandler();
    PartitionPositionTracker assignments =
        new PartitionPositionTracker(positions, fatal, Map.of("bootstrap.servers", servers));
    OffsetGapDetector continuity =
        new OffsetGapDetector(
            kafka, assignments, new TraceMetrics(new SimpleMeterRegistry()), fatal);
    TopicPartition partition = new TopicPartition(TopicName.TRACE, 1_001);
    try (var consumer = new MockConsumer<byte[], byte[]>("earliest")) {
      consumer.assign(Set.of(partition));
      consumer.setOffsetsException(new KafkaException("the broker is away"));

      assertThatThrownBy(() -> assignments.onPartitionsAssigned(consumer, Set.of(partition)))
          .isInstanceOf(FatalErrorHandler.ProcessEndingException.class)
          .hasMessageContaining("the broker is away");
      assertThatThrownBy(() -> continuity.mayFollow(consumer, 1_001, 7, null))
          .isInstanceOf(FatalErrorHandler.ProcessEndingException.class)
          .hasMessageContaining("baton.trace-1001");
      consumer.assign(Set.of());
      assertThat(continuity.mayFollow(consumer, 1_001, 7, null)).isFalse();
    }
  }

  @Test
  void shouldTellAGapFromAHole() {
    FatalErrorHandler fatal = new RecordingFatalErrorHandler();
    PartitionPositionTracker assignments =
        new PartitionPositionTracker(positions, fatal, Map.of("bootstrap.servers", servers));
    OffsetGapDetector continuity =
        new OffsetGapDetector(
            kafka, assignments, new TraceMetrics(new SimpleMeterRegistry()), fatal);
    TopicPartition partition = new TopicPartition(TopicName.TRACE, 1_002);
    try (var consumer = new MockConsumer<byte[], byte[]>("earliest")) {
      consumer.assign(Set.of(partition));
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, 200L));
      assignments.onPartitionsAssigned(consumer, Set.of(partition));
      assignments.advance(Map.of(1_002, 0L), Map.of(1_002, 90L));

      consumer.seek(partition, 130);
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 90L)).isFalse();
      assertThat(consumer.position(partition)).isEqualTo(90);
      consumer.seek(partition, 130);
      assertThat(continuity.mayFollow(consumer, 1_002, 120, 90L)).isFalse();
      assertThat(consumer.position(partition)).isEqualTo(90);
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 90L)).isTrue();
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 80L)).isFalse();

      assignments.onPartitionsAssigned(consumer, Set.of(partition));
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 0L)).isFalse();
      consumer.updateBeginningOffsets(Map.of(partition, 120L));
      assertThat(continuity.mayFollow(consumer, 1_002, 130, 0L)).isFalse();
      assertThat(consumer.position(partition)).isEqualTo(120);
      assertThat(continuity.mayFollow(consumer, 1_002, 120, 0L)).isTrue();
    }
  }

  @Test
  void shouldNotTakeAHoleForAGapAfterAFailedAttempt() {
    FatalErrorHandler fatal = new RecordingFatalErrorHandler();
    PartitionPositionTracker assignments =
        new PartitionPositionTracker(positions, fatal, Map.of("bootstrap.servers", servers));
    OffsetGapDetector continuity =
        new OffsetGapDetector(
            kafka, assignments, new TraceMetrics(new SimpleMeterRegistry()), fatal);
    TopicPartition one = new TopicPartition(TopicName.TRACE, 1_006);
    TopicPartition two = new TopicPartition(TopicName.TRACE, 1_007);
    Map<Integer, Long> first = Map.of(1_006, 10L, 1_007, 20L);
    Map<Integer, Long> expected = Map.of(1_006, 0L, 1_007, 0L);
    Map<Integer, Boolean> decided = new HashMap<>();
    try (var consumer = new SecondLookFails()) {
      consumer.assign(Set.of(one, two));
      consumer.updateBeginningOffsets(Map.of(one, 0L, two, 0L));
      consumer.updateEndOffsets(Map.of(one, 200L, two, 200L));
      assignments.onPartitionsAssigned(consumer, Set.of(one, two));
      consumer.seek(one, 50);
      consumer.seek(two, 50);

      assertThatThrownBy(() -> continuity.dropped(consumer, first, expected, decided))
          .hasMessageContaining("the broker is away");
      Set<Integer> dropped = continuity.dropped(consumer, first, expected, decided);

      assertThat(dropped).containsExactlyInAnyOrder(1_006, 1_007);
      assertThat(consumer.position(one)).isZero();
      assertThat(consumer.position(two)).isZero();
      assertThat(continuity.dropped(consumer, first, expected, new HashMap<>())).isEmpty();
    }
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

  private static final class SecondLookFails extends MockConsumer<byte[], byte[]> {
    private int looks;

    SecondLookFails() {
      super("earliest");
    }

    @Override
    public synchronized Map<TopicPartition, Long> beginningOffsets(
        Collection<TopicPartition> partitions) {
      if (++looks == 2) {
        throw new KafkaException("the broker is away");
      }
      return super.beginningOffsets(partitions);
    }
  }

  /** Does not exit the process of the tests. */
  @Vetoed
  private static final class RecordingFatalErrorHandler extends FatalErrorHandler {
    @Override
    ProcessEndingException because(String reason) {
      return new ProcessEndingException(reason);
    }
  }
}
