/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.topic.DeadLetterReason;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.protocol.topic.TopicName;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class HomePartitionTest extends StoreTest {
  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();
  private final int home = HomePartitioner.choose(run, TopicBootstrap.PARTITIONS);
  private final int other = (home + 3) % TopicBootstrap.PARTITIONS;

  @Test
  void shouldRefuseWhatIsOutsideOfTheHomePartition() {
    log.send(in(other, trace.created()), in(other, trace.assigned(1)));
    assertThat(client.until(() -> client.events(run, false), all -> all.size() == 2)).hasSize(2);
    ProducerRecord<String, byte[]> started = trace.started(1);

    // Java's client would choose this partition.
    log.send(in(home, started), in(other, started), in(other, trace.ended(1)));

    assertThat(client.idsUntilEnd(run))
        .containsExactly(run + "/c/1", run + "/c/2", run + "/1/1", run + "/1/2");
    assertThat(letter().value()).isEqualTo(started.value());
  }

  @Test
  void shouldMoveAwayWhatWasStoredBeforeTheHomeWasKnown() {
    ProducerRecord<String, byte[]> created = trace.created();
    ProducerRecord<String, byte[]> assigned = trace.assigned(1);
    ProducerRecord<String, byte[]> started = trace.started(1);
    log.send(in(other, started));
    assertThat(client.until(() -> client.events(run, false), all -> all.size() == 1)).hasSize(1);

    log.send(in(home, created), in(home, assigned), in(home, started), in(home, trace.ended(1)));

    assertThat(letter().value()).isEqualTo(started.value());
    assertThat(client.idsUntilEnd(run))
        .containsExactly(run + "/c/1", run + "/c/2", run + "/1/1", run + "/1/2");
  }

  private ConsumerRecord<byte[], byte[]> letter() {
    return log.find(
        TopicName.deadLetters(TopicName.TRACE),
        letter -> run.equals(new String(letter.key(), UTF_8)) && isOfPartition(letter));
  }

  private static boolean isOfPartition(ConsumerRecord<byte[], byte[]> letter) {
    String reason = new String(letter.headers().lastHeader("baton_reason").value(), UTF_8);
    return DeadLetterReason.of(reason) == DeadLetterReason.WRONG_PARTITION;
  }

  private static ProducerRecord<String, byte[]> in(
      int partition, ProducerRecord<String, byte[]> record) {
    return new ProducerRecord<>(
        record.topic(), partition, record.key(), record.value(), record.headers());
  }
}
