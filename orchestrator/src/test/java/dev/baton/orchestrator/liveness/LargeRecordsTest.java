/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class LargeRecordsTest {
  /** With the reason added, larger than a producer can send. */
  private static final int LARGE = 1_048_450;

  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldGoOnBehindRecordsThatAreTooLargeForALetter() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      awaitReading(log);
      double failures = metric("baton_liveness_failures_total");
      // A key is not truncated, so this record has no dead letter.
      log.send(record("k".repeat(LARGE), "x".getBytes(UTF_8)));
      log.send(record(run, new byte[LARGE]));

      List<ConsumerRecord<String, byte[]>> letters =
          log.await(TopicName.deadLetters(TopicName.HEARTBEATS), run, found -> !found.isEmpty());

      assertThat(letters.getFirst().value()).hasSize(DeadLetter.CUT_VALUE);
      assertThat(metric("baton_liveness_failures_total")).isEqualTo(failures);
    }
  }

  private static ProducerRecord<String, byte[]> record(String key, byte[] value) {
    return new ProducerRecord<>(TopicName.HEARTBEATS, 0, key, value);
  }

  /** Waits until liveness reads; it starts at the end of the log. */
  private void awaitReading(TraceLog log) {
    double before = metric("baton_liveness_heartbeats_total");
    String run = RunId.next();
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (metric("baton_liveness_heartbeats_total") <= before) {
      assertThat(System.nanoTime()).as("liveness reads").isLessThan(end);
      log.beat(run, 1, "ended", 3_000);
      LockSupport.parkNanos(50_000_000);
    }
  }

  private double metric(String name) {
    return bed.api()
        .get("/q/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
