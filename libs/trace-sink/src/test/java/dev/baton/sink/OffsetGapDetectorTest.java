/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.TopicName;
import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OffsetGapDetectorTest {
  private final SinkFixture positions = new SinkFixture(0);
  private final PartitionPositionTracker assignments =
      new PartitionPositionTracker(
          positions,
          SinkFatalException::new,
          new CommittedRecordsReader(Map.of("bootstrap.servers", "127.0.0.1:1")));
  private final OffsetGapDetector continuity =
      new OffsetGapDetector(
          work -> Uni.createFrom().nothing(), assignments, positions, SinkFatalException::new);

  @Test
  void shouldFailRatherThanReadWithoutAPosition() {
    TopicPartition partition = new TopicPartition(TopicName.TRACE, 1_001);
    TopicPartition never = new TopicPartition(TopicName.TRACE, 1_008);
    try (var consumer = new MockConsumer<byte[], byte[]>("earliest")) {
      consumer.assign(Set.of(partition, never));
      consumer.setOffsetsException(new KafkaException("the broker is away"));

      assertThatThrownBy(() -> assignments.assign(consumer, Set.of(partition)))
          .isInstanceOf(SinkFatalException.class)
          .hasMessageContaining("the broker is away");
      assertThat(continuity.mayFollow(consumer, 1_001, 7, null)).isFalse();
      assertThatThrownBy(() -> continuity.mayFollow(consumer, 1_008, 7, null))
          .isInstanceOf(SinkFatalException.class)
          .hasMessageContaining("baton.trace-1008");
      consumer.assign(Set.of());
      assertThat(continuity.mayFollow(consumer, 1_008, 7, null)).isFalse();
    }
  }

  @Test
  void shouldTellAGapFromAHole() {
    TopicPartition partition = new TopicPartition(TopicName.TRACE, 1_002);
    try (var consumer = new MockConsumer<byte[], byte[]>("earliest")) {
      consumer.assign(Set.of(partition));
      consumer.updateBeginningOffsets(Map.of(partition, 0L));
      consumer.updateEndOffsets(Map.of(partition, 200L));
      assignments.assign(consumer, Set.of(partition));
      assignments.advance(Map.of(1_002, 0L), Map.of(1_002, 90L));

      consumer.seek(partition, 130);
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 90L)).isFalse();
      assertThat(consumer.position(partition)).isEqualTo(90);
      consumer.seek(partition, 130);
      assertThat(continuity.mayFollow(consumer, 1_002, 120, 90L)).isFalse();
      assertThat(consumer.position(partition)).isEqualTo(90);
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 90L)).isTrue();
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 80L)).isFalse();
      assertThat(positions.missing).isZero();

      assignments.assign(consumer, Set.of(partition));
      assertThat(continuity.mayFollow(consumer, 1_002, 110, 0L)).isFalse();
      consumer.updateBeginningOffsets(Map.of(partition, 120L));
      assertThat(continuity.mayFollow(consumer, 1_002, 130, 0L)).isFalse();
      assertThat(consumer.position(partition)).isEqualTo(120);
      assertThat(continuity.mayFollow(consumer, 1_002, 120, 0L)).isTrue();
      assertThat(positions.missing).isEqualTo(120);
    }
  }

  @Test
  void shouldNotTakeAHoleForAGapAfterAFailedAttempt() {
    TopicPartition one = new TopicPartition(TopicName.TRACE, 1_006);
    TopicPartition two = new TopicPartition(TopicName.TRACE, 1_007);
    Map<Integer, Long> first = Map.of(1_006, 10L, 1_007, 20L);
    Map<Integer, Long> expected = Map.of(1_006, 0L, 1_007, 0L);
    Map<Integer, Boolean> decided = new HashMap<>();
    try (var consumer = new SecondLookFails()) {
      consumer.assign(Set.of(one, two));
      consumer.updateBeginningOffsets(Map.of(one, 0L, two, 0L));
      consumer.updateEndOffsets(Map.of(one, 200L, two, 200L));
      assignments.assign(consumer, Set.of(one, two));
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
}
