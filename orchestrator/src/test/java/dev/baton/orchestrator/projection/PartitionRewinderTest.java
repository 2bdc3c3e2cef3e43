/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.topic.TopicName;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class PartitionRewinderTest {
  private static final TopicPartition PARTITION = new TopicPartition(TopicName.TRACE, 1_000);

  @Inject KafkaClientService kafka;

  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();

  @Test
  void shouldTakeTheMarksOfTransactionsForNoLoss() {
    PartitionRewinder rewinds = rewound(50, 60, 0);

    assertThat(rewinds.takes(record(61))).isFalse();
    assertThat(rewinds.takes(record(52))).isTrue();
    assertThat(rewinds.takes(record(61))).isTrue();

    assertThat(rewinds.isKnownGap(PARTITION.partition(), 50, 52)).isTrue();
    assertThat(missing()).isZero();
    assertThat(metrics.counter("baton.projection.rewinds").count()).isZero();
  }

  @Test
  void shouldGoOnWhereTheLogBeginsAndCountWhatIsGone() {
    PartitionRewinder rewinds = rewound(50, 60, 70);

    assertThat(rewinds.takes(record(61))).isFalse();
    // After a marker: a rewind that expected a record there would wait forever.
    assertThat(rewinds.takes(record(71))).isTrue();
    assertThat(rewinds.takes(record(72))).isTrue();

    assertThat(rewinds.isKnownGap(PARTITION.partition(), 50, 71)).isTrue();
    assertThat(missing()).isEqualTo(20);
  }

  @Test
  void shouldCountARewindOnceALostRecordIsReadAgain() {
    PartitionRewinder rewinds = rewound(50, 60, 0);

    assertThat(rewinds.takes(record(50))).isTrue();

    assertThat(metrics.counter("baton.projection.rewinds").count()).isEqualTo(1);
  }

  @Test
  void shouldGoOnOverWhatAPollFoundToHoldNoRecord() {
    PartitionRewinder rewinds = new PartitionRewinder(kafka, metrics);

    rewinds.tail(7, 10, 12);

    assertThat(rewinds.over(7, 10)).isEqualTo(12);
    assertThat(rewinds.over(7, 9)).isEqualTo(9);
    assertThat(rewinds.over(8, 10)).isEqualTo(10);
    rewinds.forget(7);
    assertThat(rewinds.over(7, 10)).isEqualTo(10);
  }

  private PartitionRewinder rewound(long stored, long dropped, long beginning) {
    PartitionRewinder rewinds = new PartitionRewinder(kafka, metrics);
    rewinds.begin(PARTITION.partition(), stored, 52, dropped);
    try (var consumer = new MockConsumer<String, byte[]>("earliest")) {
      consumer.assign(Set.of(PARTITION));
      consumer.updateBeginningOffsets(Map.of(PARTITION, beginning));
      rewinds.seek(consumer, PARTITION.partition(), stored);
      assertThat(consumer.position(PARTITION)).isEqualTo(Math.max(stored, beginning));
    }
    return rewinds;
  }

  private double missing() {
    return metrics.counter("baton.projection.missing.offsets").count();
  }

  private static ConsumerRecord<String, byte[]> record(long offset) {
    return new ConsumerRecord<>(
        PARTITION.topic(), PARTITION.partition(), offset, "run", new byte[0]);
  }
}
