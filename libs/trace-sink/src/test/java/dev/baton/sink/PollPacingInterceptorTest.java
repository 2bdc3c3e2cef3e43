/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class PollPacingInterceptorTest {
  private static final Duration NEVER_WAITED = Duration.ofHours(1);
  private static final Duration MOST = Duration.ofSeconds(20);
  private static final Duration INTERVAL = Duration.ofMillis(80);

  private static ConsumerRecords<byte[], byte[]> poll(int records, int bytes) {
    TopicPartition partition = new TopicPartition("baton.trace", 0);
    List<ConsumerRecord<byte[], byte[]>> list = new ArrayList<>();
    IntStream.range(0, records)
        .forEach(
            offset ->
                list.add(
                    new ConsumerRecord<>(
                        partition.topic(),
                        partition.partition(),
                        offset,
                        0,
                        TimestampType.CREATE_TIME,
                        0,
                        bytes,
                        new byte[0],
                        new byte[bytes],
                        new RecordHeaders(),
                        Optional.empty())));
    return new ConsumerRecords<>(Map.of(partition, list), Map.of());
  }

  @Test
  void shouldDelayNoRecordsAfterAPause() {
    PollPacingInterceptor interceptor = new PollPacingInterceptor(NEVER_WAITED);

    ConsumerRecords<byte[], byte[]> records = poll(1, 100);

    assertTimeoutPreemptively(
        MOST, () -> assertThat(interceptor.onConsume(records)).isSameAs(records));
  }

  @Test
  void shouldKeepTheIntervalBetweenSmallPolls() {
    PollPacingInterceptor interceptor = new PollPacingInterceptor(INTERVAL);
    long began = System.nanoTime();

    for (int i = 0; i < 4; i++) {
      interceptor.onConsume(poll(1, 100));
    }

    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isGreaterThanOrEqualTo(INTERVAL.multipliedBy(3));
  }

  @Test
  void shouldDelayNeitherFullNorEmptyPolls() {
    PollPacingInterceptor interceptor = new PollPacingInterceptor(NEVER_WAITED);
    interceptor.onConsume(poll(1, 100));

    assertTimeoutPreemptively(
        MOST,
        () -> {
          interceptor.onConsume(ConsumerRecords.empty());
          interceptor.onConsume(poll(2, (int) PollPacingInterceptor.FULL_BYTES / 2));
        });
  }

  @Test
  void shouldKeepTheInterruptionOfItsThread() {
    PollPacingInterceptor interceptor = new PollPacingInterceptor(NEVER_WAITED);
    interceptor.onConsume(poll(1, 100));

    assertTimeoutPreemptively(
        MOST,
        () -> {
          Thread.currentThread().interrupt();
          interceptor.onConsume(poll(1, 100));
          assertThat(Thread.interrupted()).isTrue();
        });
  }
}
