/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.topic.TopicName;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ReadPositionInterceptorTest {
  private static final int NUMBER = 4_711;
  private static final TopicPartition PARTITION = new TopicPartition(TopicName.HEARTBEATS, NUMBER);

  private final ReadPositionInterceptor interceptor = new ReadPositionInterceptor();

  private void poll(long position, List<ConsumerRecord<Object, Object>> records) {
    interceptor.onConsume(
        new ConsumerRecords<>(
            records.isEmpty() ? Map.of() : Map.of(PARTITION, records),
            Map.of(PARTITION, new OffsetAndMetadata(position))));
  }

  private static ConsumerRecord<Object, Object> record(long offset) {
    return new ConsumerRecord<>(PARTITION.topic(), NUMBER, offset, "run", "");
  }

  @Test
  void shouldPassOverWhatFollowsTheLastRecordOnly() {
    assertThat(ReadPositionInterceptor.over(NUMBER, 7)).isEqualTo(7);

    poll(12, List.of(record(8), record(9)));
    assertThat(ReadPositionInterceptor.over(NUMBER, 9)).isEqualTo(9);
    assertThat(ReadPositionInterceptor.over(NUMBER, 10)).isEqualTo(12);

    poll(15, List.of());
    assertThat(ReadPositionInterceptor.over(NUMBER, 10)).isEqualTo(15);

    poll(17, List.of(record(15)));
    assertThat(ReadPositionInterceptor.over(NUMBER, 10)).isEqualTo(10);
    assertThat(ReadPositionInterceptor.over(NUMBER, 16)).isEqualTo(17);
  }
}
