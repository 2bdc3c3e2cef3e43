/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import static dev.baton.sink.SinkFixture.NUMBER;
import static dev.baton.sink.SinkFixture.PARTITION;
import static dev.baton.sink.SinkFixture.poll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TraceSinkTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final SinkFixture fixture = new SinkFixture(100);

  private void consume(ConsumerRecords<byte[], byte[]> records) {
    fixture.sink.consume(records).await().atMost(PATIENCE);
  }

  private void assign() {
    fixture.sink.assigned(fixture.consumer, Set.of(PARTITION));
  }

  @Test
  void shouldApplyOnceWhatWasCommittedWithoutAResponse() throws InterruptedException {
    assign();
    fixture.afterNextCommit = new IllegalStateException("the connection is closed");

    consume(poll(3, 0, 1, 2));
    consume(poll(4, 3));

    assertThat(fixture.applied).containsExactly(0L, 1L, 2L, 3L);
    assertThat(fixture.sink.awaitReached(Map.of(NUMBER, 4L), Duration.ZERO)).isTrue();
    assertThat(fixture.sink.awaitReached(Map.of(NUMBER, 5L), Duration.ofMillis(1))).isFalse();
  }

  @Test
  void shouldBuryOnlyTheRefusedRecords() {
    assign();
    fixture.unwritable.addAll(Set.of(2L, 5L));

    consume(poll(7, 0, 1, 2, 3, 4, 5, 6));

    assertThat(fixture.applied).containsExactly(0L, 1L, 3L, 4L, 6L);
    assertThat(fixture.stored).containsEntry(NUMBER, 7L);
    assertThat(fixture.deadLetters)
        .extracting(poison -> poison.record().offset(), PoisonRecord::kind)
        .containsExactly(
            tuple(2L, PoisonRecord.Kind.UNWRITABLE), tuple(5L, PoisonRecord.Kind.UNWRITABLE));
  }

  @Test
  void shouldBuryMalformedRecordsAndContinueAfterThem() {
    assign();
    consume(
        new ConsumerRecords<>(
            Map.of(
                PARTITION,
                List.of(new ConsumerRecord<>(PARTITION.topic(), NUMBER, 0, null, new byte[] {1}))),
            Map.of()));

    assertThat(fixture.deadLetters)
        .extracting(PoisonRecord::kind)
        .containsExactly(PoisonRecord.Kind.MALFORMED);
    assertThat(fixture.stored).containsEntry(NUMBER, 1L);
  }

  @Test
  void shouldContinueWhereAnotherConsumerStopped() {
    assign();
    fixture.stored.put(NUMBER, 2L);

    consume(poll(4, 0, 1, 2, 3));

    assertThat(fixture.applied).containsExactly(2L, 3L);
    assertThat(fixture.decreased).isEmpty();
  }

  @Test
  void shouldReadAgainWhatTheDatabaseHasLost() {
    assign();
    consume(poll(5, 0, 1, 2, 3, 4));
    fixture.stored.put(NUMBER, 3L);
    fixture.applied.removeIf(offset -> offset >= 3);

    consume(poll(7, 5, 6));
    assertThat(fixture.applied).containsExactly(0L, 1L, 2L);
    assertThat(fixture.consumer.position(PARTITION)).isEqualTo(3);
    // Polled before the seek.
    consume(poll(8, 7));
    consume(poll(8, 3, 4, 5, 6, 7));

    assertThat(fixture.applied).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(fixture.decreased).containsExactly("3: 5 to 3");
    assertThat(fixture.missing).isZero();
  }

  @Test
  void shouldContinueWhereTheLogBeginsAndCountWhatIsGone() {
    assign();
    consume(poll(5, 0, 1, 2, 3, 4));
    fixture.stored.put(NUMBER, 3L);
    fixture.consumer.updateBeginningOffsets(Map.of(PARTITION, 7L));

    consume(poll(6, 5)); // Polled before it was deleted.
    consume(poll(8, 7));

    assertThat(fixture.applied).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 7L);
    assertThat(fixture.missing).isEqualTo(3); // 3, 4 and 6
  }

  @Test
  void shouldFailWhereTheStoreRefusesADecreasedPosition() {
    assign();
    consume(poll(5, 0, 1, 2, 3, 4));
    fixture.stored.put(NUMBER, 3L);
    fixture.fatalWhenDecreased = true;

    assertThatThrownBy(() -> consume(poll(6, 5))).isInstanceOf(SinkFatalException.class);
    assertThat(fixture.applied).hasSize(5);
  }

  @Test
  void shouldContinueOverOffsetsWithoutRecords() {
    assign();

    consume(poll(4, 0, 1)); // Transaction markers at 2 and 3.
    consume(poll(5, 4));

    assertThat(fixture.applied).containsExactly(0L, 1L, 4L);
    assertThat(fixture.stored).containsEntry(NUMBER, 5L);
  }

  @Test
  void shouldReadPositionsLaterIfTheDatabaseIsAwayOnAssignment() {
    fixture.stored.put(NUMBER, 50L);
    fixture.away = true;
    assign();
    assertThat(fixture.consumer.position(PARTITION)).isZero();

    fixture.away = false;
    consume(poll(2, 0, 1));
    assertThat(fixture.consumer.position(PARTITION)).isEqualTo(50);
    // Polled before the seek.
    consume(poll(4, 2, 3));
    consume(poll(51, 50));

    assertThat(fixture.applied).containsExactly(50L);
    assertThat(fixture.stored).containsEntry(NUMBER, 51L);
  }

  @Test
  void shouldStartOverWhereTheStoreResetsAPositionAfterTheEnd() {
    fixture.stored.put(NUMBER, 101L);

    assign();
    consume(poll(1, 0));

    assertThat(fixture.applied).containsExactly(0L);
    assertThat(fixture.stored).containsEntry(NUMBER, 1L);
  }

  @Test
  void shouldNotAdvanceARevokedPartition() throws InterruptedException {
    assign();
    fixture.sink.revoked(Set.of(PARTITION));
    fixture.consumer.assign(Set.of(new TopicPartition(PARTITION.topic(), NUMBER + 1)));

    consume(poll(1, 0));

    assertThat(fixture.applied).isEmpty();
    assertThat(fixture.sink.awaitReached(Map.of(NUMBER, 1L), Duration.ZERO)).isFalse();
  }
}
