/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.topic.CommittedRecordsReader;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Applies the trace to a database, batch by batch and each record exactly once: buries poison, then
 * applies records and positions in one transaction of the {@link BatchHandler}. While the database
 * or Kafka is unavailable nothing is skipped, and {@link #consume} does not complete.
 *
 * <p>Thread-safe, but {@link #consume} must complete before it is called again.
 */
public final class TraceSink {
  private final BatchHandler handler;
  private final FatalErrorHandler fatal;
  private final PartitionPositionTracker tracker;
  private final OffsetGapDetector gaps;
  private final BatchApplier applier;

  /**
   * @param kafka the client's settings; at least {@code bootstrap.servers}
   * @param polling of the consumer whose records and partitions this sink receives
   */
  public TraceSink(
      Map<String, ?> kafka,
      PollingThread polling,
      BatchHandler handler,
      PositionStore positions,
      DeadLetterHandler deadLetters,
      FatalErrorHandler fatal) {
    this.handler = handler;
    this.fatal = fatal;
    tracker = new PartitionPositionTracker(positions, fatal, new CommittedRecordsReader(kafka));
    gaps = new OffsetGapDetector(polling, tracker, positions, fatal);
    applier = new BatchApplier(handler, positions, deadLetters, tracker, gaps);
  }

  /**
   * Applies the records of one poll.
   *
   * @return completes when every new record is applied or published as a dead letter; fails only
   *     with {@link SinkFatalException}
   */
  public Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
    return Uni.createFrom()
        .item(() -> SinkBatchDecoder.decode(records, records.nextOffsets()))
        .chain(this::accepted)
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .chain(gaps::withPositions)
        .chain(this::take)
        // Another failure would end the consumer while the process continues without it.
        .onFailure(failure -> !(failure instanceof SinkFatalException))
        .transform(failure -> fatal.because("the trace cannot be stored: " + failure));
  }

  private Uni<Void> take(SinkBatch decoded) {
    // One snapshot: an assignment during the batch can change the position of a partition.
    Map<Integer, Long> expected = tracker.expected();
    return gaps.following(decoded, expected)
        .chain(batch -> applier.publish(batch.poison()).chain(() -> apply(batch, expected)));
  }

  /** Applies a batch that continues at these positions and has no poison that is not published. */
  public Uni<Void> apply(SinkBatch batch, Map<Integer, Long> expected) {
    return applier.apply(batch, expected);
  }

  /** Moves the records that the handler refuses to the poison. */
  private Uni<SinkBatch> accepted(SinkBatch batch) {
    if (batch.records().isEmpty()) {
      return Uni.createFrom().item(batch);
    }
    return RetryForever.retry("fetch leases and home partitions", () -> handler.learn(batch))
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(done -> batch.without(handler::refusal));
  }

  /** Starts partitions at their stored positions. Call it on the polling thread. */
  public void assigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    tracker.assign(consumer, partitions);
  }

  /** Stops partitions; a batch in flight may still be applied. Call it on the polling thread. */
  public void revoked(Collection<TopicPartition> partitions) {
    tracker.revoke(partitions);
  }

  /**
   * Blocks until this sink has applied everything before these offsets, by partition.
   *
   * @return false after the timeout, for example if another consumer has one of the partitions
   */
  public boolean awaitReached(Map<Integer, Long> ends, Duration most) throws InterruptedException {
    return tracker.awaitReached(ends, most);
  }

  /** Whether each partition's position is at or after its offset. */
  public static boolean hasReached(Map<Integer, Long> positions, Map<Integer, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }
}
