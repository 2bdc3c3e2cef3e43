/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.sink.BatchHandler;
import dev.baton.sink.DeadLetterHandler;
import dev.baton.sink.FatalErrorHandler;
import dev.baton.sink.PositionStore;
import dev.baton.sink.TraceSink;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import io.smallrye.reactive.messaging.kafka.KafkaConsumerRebalanceListener;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.reactive.messaging.Incoming;

/** Connects the channel of the trace to the sink that stores it. */
@ApplicationScoped
@Identifier("trace-positions")
class TraceStoreConsumer implements KafkaConsumerRebalanceListener {
  private final TraceSink sink;
  private final TraceMetrics metrics;

  TraceStoreConsumer(
      KafkaClientService kafka,
      @Identifier("default-kafka-broker") Map<String, Object> settings,
      BatchHandler handler,
      PositionStore positions,
      DeadLetterHandler deadLetters,
      FatalErrorHandler fatal,
      TraceMetrics metrics) {
    this.metrics = metrics;
    sink =
        new TraceSink(
            settings,
            work -> kafka.<byte[], byte[]>getConsumer("trace").runOnPollingThread(work),
            handler,
            positions,
            deadLetters,
            fatal);
  }

  @Incoming("trace")
  Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
    return sink.consume(records).invoke(() -> metrics.delayed(age(records)));
  }

  @Override
  public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    sink.assigned(consumer, partitions);
  }

  @Override
  public void onPartitionsRevoked(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    sink.revoked(partitions);
  }

  private static Duration age(ConsumerRecords<byte[], byte[]> records) {
    long last = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      last = Math.max(last, record.timestamp());
    }
    return Duration.ofMillis(Math.max(0, System.currentTimeMillis() - last));
  }
}
