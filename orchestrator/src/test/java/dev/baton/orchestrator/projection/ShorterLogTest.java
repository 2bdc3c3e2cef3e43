/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import dev.baton.sink.SinkFatalException;
import dev.baton.sink.TraceSink;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ShorterLogTest {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int NUMBER = 1_001; // not used elsewhere
  private static final TopicPartition PARTITION = new TopicPartition(TopicName.TRACE, NUMBER);

  @Inject Pool pool;
  @Inject TraceProjection projection;
  @Inject ProjectionPositionRepository positions;

  @ConfigProperty(name = "kafka.bootstrap.servers")
  String servers = "";

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

  private TraceSink view() {
    consumer.assign(Set.of(PARTITION));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 5L));
    return new TraceSink(
        Map.of("bootstrap.servers", servers),
        work -> Uni.createFrom().item(() -> work.apply(consumer)),
        projection,
        positions,
        projection,
        SinkFatalException::new);
  }

  @Test
  void shouldReadItFromItsBeginningHoweverLongPostgresRefuses() throws Exception {
    sql("INSERT INTO orchestrator.projection_position (partition, next_offset) VALUES (1001, 100)");
    try {
      TraceSink view = view();
      refuseUpdates();

      view.assigned(consumer, Set.of(PARTITION));

      assertThat(consumer.position(PARTITION)).isZero();
      CompletableFuture<Void> first = view.consume(poll(0)).subscribeAsCompletionStage();
      assertThatThrownBy(() -> positions.restart(PARTITION, 100, 5).await().atMost(SQL))
          .hasMessageContaining("not now");
      assertThat(first).isNotDone();
      assertThat(position()).isEqualTo(100);
      sql("DROP FUNCTION orchestrator.refuse() CASCADE");
      first.get(60, TimeUnit.SECONDS);
      // Polled again, from its position.
      assertThat(consumer.position(PARTITION)).isZero();
      view.consume(poll(0)).await().atMost(SQL);
      assertThat(position()).isEqualTo(1);
    } finally {
      sql("DROP FUNCTION IF EXISTS orchestrator.refuse() CASCADE");
      sql("DELETE FROM orchestrator.projection_position WHERE partition = 1001");
    }
  }

  @Test
  void shouldKeepAPositionThatTheLogReaches() {
    sql("INSERT INTO orchestrator.projection_position (partition, next_offset) VALUES (1001, 5)");
    try {
      TraceSink view = view();

      view.assigned(consumer, Set.of(PARTITION));

      assertThat(consumer.position(PARTITION)).isEqualTo(5);
      view.consume(poll(0, 5)).await().atMost(SQL);
      assertThat(position()).isEqualTo(6);
    } finally {
      sql("DELETE FROM orchestrator.projection_position WHERE partition = 1001");
    }
  }

  private static ConsumerRecords<byte[], byte[]> poll(long... offsets) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (long offset : offsets) {
      records.add(
          new ConsumerRecord<>(
              TopicName.TRACE, NUMBER, offset, RunId.next().getBytes(UTF_8), new byte[] {1}));
    }
    return new ConsumerRecords<>(Map.of(PARTITION, records), Map.of());
  }

  private long position() {
    return pool.query(
            "SELECT next_offset FROM orchestrator.projection_position WHERE partition = 1001")
        .execute()
        .await()
        .atMost(SQL)
        .iterator()
        .next()
        .getLong(0);
  }

  private void refuseUpdates() {
    sql(
        "CREATE FUNCTION orchestrator.refuse() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN RAISE EXCEPTION ''not now''; END'");
    sql(
        "CREATE TRIGGER refuse BEFORE UPDATE ON orchestrator.projection_position FOR EACH ROW"
            + " WHEN (OLD.partition = 1001) EXECUTE FUNCTION orchestrator.refuse()");
  }

  private void sql(String statement) {
    pool.query(statement).execute().await().atMost(SQL);
  }
}
