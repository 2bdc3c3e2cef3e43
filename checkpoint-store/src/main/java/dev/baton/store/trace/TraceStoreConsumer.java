/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.EventId;
import dev.baton.store.lease.LeaseAuthenticator;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jspecify.annotations.Nullable;

/**
 * Stores the trace batch by batch: sends poison to the dead-letter topic, then writes rows and
 * positions in one transaction. While Postgres or Kafka is unavailable the partitions are paused
 * and nothing is skipped.
 */
@ApplicationScoped
class TraceStoreConsumer {
  private final PartitionPositionTracker assignments;
  private final OffsetGapDetector continuity;
  private final DeadLetterPublisher burial;
  private final TraceBatchWriter storing;
  private final TraceMetrics metrics;
  private final FatalErrorHandler fatal;
  private final LeaseAuthenticator leases;

  TraceStoreConsumer(
      @Identifier("trace-positions") PartitionPositionTracker assignments,
      OffsetGapDetector continuity,
      DeadLetterPublisher burial,
      TraceBatchWriter storing,
      TraceMetrics metrics,
      FatalErrorHandler fatal,
      LeaseAuthenticator leases) {
    this.leases = leases;
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
        .item(() -> TraceBatchDecoder.decode(records))
        .chain(this::vouchedFor)
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .chain(this::take)
        .invoke(() -> metrics.delayed(age(records)))
        // A failure closes the channel, and the process would keep running without it.
        .onFailure(failure -> !(failure instanceof FatalErrorHandler.ProcessEndingException))
        .transform(failure -> fatal.because("the trace cannot be stored: " + failure));
  }

  /**
   * Moves runner events without a valid lease to the poison records. Control events come from
   * services and need none.
   */
  private Uni<DecodedBatch> vouchedFor(DecodedBatch batch) {
    Set<String> tokens = batch.leases();
    if (tokens.isEmpty()) {
      return Uni.createFrom().item(batch.without(this::refusal));
    }
    return RetryForever.insist(
            "verify the leases", Uni.createFrom().deferred(() -> leases.learn(tokens)))
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(known -> batch.without(this::refusal));
  }

  private @Nullable String refusal(EventRow event) {
    EventId id = event.id();
    return id.lane().isControl()
        ? null
        : leases.refusal(event.lease(), id.run(), id.lane().epoch());
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
