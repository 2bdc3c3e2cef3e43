/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.lease.ReplicaLeaseVerifier;
import dev.baton.orchestrator.notification.NotificationWriter;
import dev.baton.orchestrator.queue.WorkflowCapacityFreedEvent;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ShorterLogTest {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int NUMBER = 1_001; // not used elsewhere

  @Inject Pool pool;
  @Inject PartitionRewinder rewinds;
  @Inject ReplicaLeaseVerifier leases;
  @Inject NotificationWriter notifications;
  @Inject OrchestratorConfig config;
  @Inject Event<WorkflowCapacityFreedEvent> places;
  @Inject RunMetrics runMetrics;

  @Test
  void shouldReadItFromItsBeginningHoweverLongPostgresRefuses() {
    TopicPartition partition = new TopicPartition(TopicName.TRACE, NUMBER);
    TraceProjection projection =
        new TraceProjection(
            pool,
            rewinds,
            leases,
            notifications,
            config,
            places,
            runMetrics,
            new SimpleMeterRegistry());
    ProjectionTraceConsumer view = new ProjectionTraceConsumer(projection, rewinds);
    List<ConsumerRecord<String, byte[]>> first =
        List.of(new ConsumerRecord<>(TopicName.TRACE, NUMBER, 0, RunId.next(), new byte[] {1}));
    sql("INSERT INTO orchestrator.projection_position (partition, next_offset) VALUES (1001, 100)");
    try (var consumer = new MockConsumer<String, byte[]>("earliest")) {
      refuseUpdates();
      consumer.assign(Set.of(partition));
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, 5L));

      view.onPartitionsAssigned(consumer, Set.of(partition));

      assertThat(consumer.position(partition)).isZero();
      assertThatThrownBy(() -> projection.project(first).await().atMost(SQL))
          .hasMessageContaining("not now");
      sql("DROP FUNCTION orchestrator.refuse() CASCADE");
      projection.project(first).await().atMost(SQL);
      assertThat(position()).isEqualTo(1);
    } finally {
      sql("DROP FUNCTION IF EXISTS orchestrator.refuse() CASCADE");
      sql("DELETE FROM orchestrator.projection_position WHERE partition = 1001");
    }
  }

  @Test
  void shouldKeepAPositionThatTheLogReaches() {
    TraceProjection projection =
        new TraceProjection(
            pool,
            rewinds,
            leases,
            notifications,
            config,
            places,
            runMetrics,
            new SimpleMeterRegistry());
    sql("INSERT INTO orchestrator.projection_position (partition, next_offset) VALUES (1001, 5)");
    try {
      projection.endedAt(NUMBER, 5);
      projection
          .project(
              List.of(
                  new ConsumerRecord<>(TopicName.TRACE, NUMBER, 0, RunId.next(), new byte[] {1}),
                  new ConsumerRecord<>(TopicName.TRACE, NUMBER, 5, RunId.next(), new byte[] {1})))
          .await()
          .atMost(SQL);
      assertThat(position()).isEqualTo(6);
    } finally {
      sql("DELETE FROM orchestrator.projection_position WHERE partition = 1001");
    }
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
