/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;

/**
 * Stores the trace, batch by batch: poison to the dead-letter topic first, then rows and positions
 * in one transaction. While Postgres or Kafka is away the partitions are paused and nothing is
 * skipped.
 */
@ApplicationScoped
class TraceConsumer {
  private final Assignments assignments;
  private final Continuity continuity;
  private final Burial burial;
  private final Storing storing;
  private final TraceMetrics metrics;
  private final Fatal fatal;

  TraceConsumer(
      @Identifier("trace-positions") Assignments assignments,
      Continuity continuity,
      Burial burial,
      Storing storing,
      TraceMetrics metrics,
      Fatal fatal) {
    this.assignments = assignments;
    this.continuity = continuity;
    this.burial = burial;
    this.storing = storing;
    this.metrics = metrics;
    this.fatal = fatal;
  }

  @Incoming("trace")
  Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
    return Uni.createFrom()
        .item(() -> Decoder.decode(records))
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .chain(this::take)
        .invoke(() -> metrics.delayed(age(records)))
        // The channel is closed by a failure, and the process would go on without it.
        .onFailure(failure -> !(failure instanceof Fatal.Ending))
        .transform(failure -> fatal.because("the trace cannot be stored: " + failure));
  }

  private Uni<Void> take(DecodedBatch decoded) {
    Map<Integer, Long> expected = assignments.expected();
    return continuity
        .following(decoded, expected)
        .chain(batch -> burial.of(batch.poison()).chain(() -> storing.store(batch, expected)));
  }

  private static Duration age(ConsumerRecords<byte[], byte[]> records) {
    long last = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      last = Math.max(last, record.timestamp());
    }
    return Duration.ofMillis(Math.max(0, System.currentTimeMillis() - last));
  }
}
