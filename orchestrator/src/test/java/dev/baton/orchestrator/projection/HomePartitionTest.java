/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Programs whose Kafka clients hash keys otherwise than Java's. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class HomePartitionTest {
  private static final URI SOURCE = URI.create("/test/foreign");

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  @Test
  void shouldFollowAProgramThatOpensItsRunInAnotherPartition() {
    String run = RunId.next();
    int home = another(HomePartitioner.choose(run, TopicBootstrap.PARTITIONS));
    try (TraceLog log = bed.log()) {
      append(log, home, run, Lane.CONTROL, 1, born());
      append(log, home, run, Lane.runner(1), 1, started());
      append(log, home, run, Lane.runner(1), 2, completed("a"));
      JsonNode shown = bed.api().await(run, now -> now.get("completed_steps").longValue() == 1);
      assertThat(shown.get("home_partition").intValue()).isEqualTo(home);

      assertThat(bed.api().json("/runs/" + run + "/cancel", "{}").status()).isEqualTo(202);

      bed.api().await(run, now -> now.get("status").textValue().equals("cancelled"));
      List<ConsumerRecord<String, byte[]>> all =
          log.await(TopicName.TRACE, run, records -> records.size() == 4);
      assertThat(all).extracting(ConsumerRecord::partition).containsOnly(home);
    }
  }

  @Test
  void shouldNotApplyWhatIsOutsideOfTheHomePartition() {
    JsonNode created = external();
    String run = created.get("id").textValue();
    int home = created.get("home_partition").intValue();
    assertThat(home).isEqualTo(HomePartitioner.choose(run, TopicBootstrap.PARTITIONS));
    try (TraceLog log = bed.log()) {
      append(log, another(home), run, Lane.runner(1), 1, started());
      append(log, another(home), run, Lane.runner(1), 2, completed("astray"));
      append(log, home, run, Lane.runner(1), 1, started());
      append(log, home, run, Lane.runner(1), 2, completed("a"));
      append(log, another(home), run, Lane.runner(1), 3, new TraceEvent.RunCompleted(null));
      append(log, home, run, Lane.runner(1), 3, completed("b"));
      bed.api().await(run, now -> now.get("completed_steps").longValue() == 2);

      append(log, home, run, Lane.runner(1), 4, new TraceEvent.RunCompleted(null));

      JsonNode done =
          bed.api().await(run, now -> now.get("status").textValue().equals("completed"));
      assertThat(done.get("completed_steps").intValue()).isEqualTo(2);
    }
  }

  /** The topic was created again with fewer partitions. */
  @Test
  void shouldDelayNoOtherRunWhenAHomePartitionDoesNotExist() {
    for (int i = 0; i < 4; i++) {
      String run = external().get("id").textValue();
      pool.preparedQuery("UPDATE orchestrator.run SET home_partition = 1000 WHERE id = $1")
          .execute(Tuple.of(run))
          .await()
          .atMost(Duration.ofSeconds(10));
      assertThat(bed.api().json("/runs/" + run + "/cancel", "{}").status()).isEqualTo(202);
    }

    // Returns once the log has the run's first event.
    assertThat(external().get("home_partition").intValue()).isLessThan(TopicBootstrap.PARTITIONS);
  }

  private JsonNode external() {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"kind\":\"external\",\"workflow\":\"theirs\"}");
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    return created.json();
  }

  private static int another(int partition) {
    return (partition + 3) % TopicBootstrap.PARTITIONS;
  }

  private static void append(
      TraceLog log, int partition, String run, Lane lane, long seq, TraceEvent event) {
    TraceRecord record = new TraceRecord(new EventId(run, lane, seq), SOURCE, Instant.now(), event);
    log.send(TraceCodec.encode(TopicName.TRACE, partition, record, null));
  }

  private static TraceEvent.RunnerStarted started() {
    return new TraceEvent.RunnerStarted("x", 9L, "h", null, 0);
  }

  private static TraceEvent.StepCompleted completed(String step) {
    return new TraceEvent.StepCompleted(
        step, "transform", 1, 1, null, null, false, List.of(), null, null, null, 5, null, null);
  }

  private static TraceEvent.RunCreated born() {
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
}
