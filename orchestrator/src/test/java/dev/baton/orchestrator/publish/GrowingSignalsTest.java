/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.TopicName;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Signals in partitions that did not exist when their consumer started. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class GrowingSignalsTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject Admin admin;

  @Test
  void shouldActOnTheFirstSignalOfANewPartition() throws Exception {
    bed.api().workflow("growing-signals", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "growing-runner", 100);
        TraceLog log = bed.log()) {
      OrchestratorTestClient.Answer created =
          bed.api().json("/runs", "{\"workflow\":\"growing-signals\"}");
      assertThat(created.status()).isEqualTo(201);
      String run = created.json().get("id").textValue();
      runner.awaitAssign(run);
      int size =
          Objects.requireNonNull(
                  admin
                      .describeTopics(Set.of(TopicName.SIGNALS))
                      .allTopicNames()
                      .get(60, TimeUnit.SECONDS)
                      .get(TopicName.SIGNALS))
              .partitions()
              .size();
      admin
          .createPartitions(Map.of(TopicName.SIGNALS, NewPartitions.increaseTo(size + 1)))
          .all()
          .get(60, TimeUnit.SECONDS);

      ProducerRecord<String, byte[]> signal =
          log.signed(new RunnerSignal.RunnerExited(run, 1, runner.id(), null));
      log.send(
          new ProducerRecord<>(
              signal.topic(), size, signal.key(), signal.value(), signal.headers()));

      // Bounded by the runner's patience, which is far below the default age of metadata.
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
    }
  }
}
