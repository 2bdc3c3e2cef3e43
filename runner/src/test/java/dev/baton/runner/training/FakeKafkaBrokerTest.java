/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.topic.TopicName;
import dev.baton.runner.journal.RunnerProducerFactory;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;

class FakeKafkaBrokerTest {
  private static final int RECORDS = 200;

  @Test
  void shouldTakeWhatBothProducersOfARunnerSend() throws Exception {
    try (FakeKafkaBroker broker = new FakeKafkaBroker()) {
      RunnerProducerFactory producers = RunnerProducerFactory.kafka(broker.address(), "test");
      try (Producer<String, byte[]> durable = producers.durable();
          Producer<String, byte[]> lossy = producers.lossy()) {
        assertThat(durable.partitionsFor(TopicName.TRACE)).hasSize(1);
        sendAll(durable);
        sendAll(lossy);
      }
    }
  }

  private static void sendAll(Producer<String, byte[]> producer) throws Exception {
    for (Future<RecordMetadata> sent :
        IntStream.range(0, RECORDS)
            .mapToObj(
                i -> producer.send(new ProducerRecord<>(TopicName.TRACE, "run", new byte[100])))
            .toList()) {
      assertThat(sent.get(10, TimeUnit.SECONDS).partition()).isZero();
    }
  }
}
