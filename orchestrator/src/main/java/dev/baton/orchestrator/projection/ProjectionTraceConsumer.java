/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.sink.SinkFatalException;
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
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/** Connects the channel of the trace to the sink that folds it into the view. */
@ApplicationScoped
@Identifier("trace-positions")
class ProjectionTraceConsumer implements KafkaConsumerRebalanceListener {
  private static final Logger LOG = Logger.getLogger(ProjectionTraceConsumer.class);

  private final TraceSink sink;
  private final TraceProjection projection;

  ProjectionTraceConsumer(
      KafkaClientService kafka,
      @Identifier("default-kafka-broker") Map<String, Object> settings,
      TraceProjection projection,
      ProjectionPositionRepository positions) {
    this.projection = projection;
    sink =
        new TraceSink(
            settings,
            work -> kafka.<byte[], byte[]>getConsumer("trace").runOnPollingThread(work),
            projection,
            positions,
            projection,
            ProjectionTraceConsumer::report);
  }

  /** The process continues: the sink reads the records of a failed batch again. */
  private static SinkFatalException report(String reason) {
    LOG.errorf("projection: %s", reason);
    return new SinkFatalException(reason);
  }

  @Incoming("trace")
  Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
    return sink.consume(records);
  }

  /**
   * Waits until this consumer itself has committed everything before these offsets, by partition.
   * Returns false after the timeout.
   */
  boolean awaitReached(Map<Integer, Long> ends, Duration most) throws InterruptedException {
    return sink.awaitReached(ends, most);
  }

  @Override
  public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    projection.forget();
    sink.assigned(consumer, partitions);
  }

  @Override
  public void onPartitionsRevoked(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    sink.revoked(partitions);
    projection.forget();
  }
}
