/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.KafkaConsumerRebalanceListener;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * Feeds the projection in batches. Records polled while a batch is being written form the next
 * batch, so a busy log needs few transactions and a quiet one has little delay. While Postgres is
 * unavailable, keeps the polled records and applies backpressure. If Postgres restarts with an
 * older view, the partition is read again from the view's position ({@link PartitionRewinder}). A
 * record that can never be written is skipped.
 */
@ApplicationScoped
@Identifier("trace-positions")
class ProjectionTraceConsumer implements KafkaConsumerRebalanceListener {
  private static final Logger LOG = Logger.getLogger(ProjectionTraceConsumer.class);
  private static final int MAX_WAITING = 10_000;
  private static final int MAX_BATCH = 5_000;
  private static final int SMALL_BATCH = 64;
  private static final Duration GATHER = Duration.ofMillis(5);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final Duration BATCH = Duration.ofSeconds(30);

  private final TraceProjection projection;
  private final PartitionRewinder rewinds;
  private final Object lock = new Object();
  private final ArrayDeque<ConsumerRecord<String, byte[]>> waiting = new ArrayDeque<>();
  private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
  private boolean busy;

  ProjectionTraceConsumer(TraceProjection projection, PartitionRewinder rewinds) {
    this.rewinds = rewinds;
    this.projection = projection;
  }

  @Incoming("trace")
  Uni<Void> consume(ConsumerRecords<String, byte[]> records) {
    boolean start;
    CompletableFuture<Void> whenRoom;
    synchronized (lock) {
      for (ConsumerRecord<String, byte[]> record : records) {
        if (rewinds.takes(record)) {
          waiting.add(record);
        }
      }
      noteTails(records);
      if (waiting.size() > MAX_WAITING && room.isDone()) {
        room = new CompletableFuture<>();
      }
      whenRoom = room;
      start = !busy;
      busy = true;
    }
    if (start) {
      drain();
    }
    return Uni.createFrom().completionStage(whenRoom);
  }

  private void noteTails(ConsumerRecords<String, byte[]> records) {
    records
        .nextOffsets()
        .forEach(
            (partition, next) -> {
              List<ConsumerRecord<String, byte[]>> of = records.records(partition);
              if (!of.isEmpty()) {
                rewinds.tail(partition.partition(), of.getLast().offset() + 1, next.offset());
              }
            });
  }

  private void drain() {
    List<ConsumerRecord<String, byte[]>> batch = take();
    if (batch.isEmpty()) {
      return;
    }
    Uni<Void> written =
        write(batch)
            .ifNoItem()
            .after(BATCH)
            .fail()
            .onFailure(RunViewWriter.PositionMovedException.class)
            .retry()
            .atMost(5)
            .onFailure()
            .invoke(
                failure -> LOG.warnf("projection: failed to write a batch, retrying: %s", failure))
            .onFailure()
            .retry()
            .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
            .indefinitely(); // Every polled record must be written; the queue is bounded.
    if (batch.size() < SMALL_BATCH) {
      written = written.onItem().delayIt().by(GATHER);
    }
    written
        .subscribe()
        .with(
            done -> drain(),
            failure -> {
              LOG.error("projection: dropped a batch", failure);
              drain();
            });
  }

  private Uni<Void> write(List<ConsumerRecord<String, byte[]>> batch) {
    return projection
        .project(batch)
        .ifNoItem()
        .after(SQL)
        .fail()
        .onFailure(PartitionRewinder.ViewBehindException.class)
        .recoverWithUni(
            failure -> rewind(batch, ((PartitionRewinder.ViewBehindException) failure).stored()))
        .onFailure(TraceProjection::isFinal)
        .recoverWithUni(failure -> divide(batch, failure));
  }

  /** Rewinds partitions to the view's position and writes the records of the others. */
  private Uni<Void> rewind(List<ConsumerRecord<String, byte[]>> batch, Map<Integer, Long> stored) {
    synchronized (lock) {
      stored.forEach(
          (partition, next) -> {
            LongSummaryStatistics dropped =
                Stream.concat(batch.stream(), waiting.stream())
                    .filter(record -> record.partition() == partition)
                    .mapToLong(ConsumerRecord::offset)
                    .summaryStatistics();
            boolean none = dropped.getCount() == 0;
            rewinds.begin(
                partition, next, none ? next : dropped.getMin(), none ? next : dropped.getMax());
          });
      waiting.removeIf(record -> stored.containsKey(record.partition()));
    }
    List<ConsumerRecord<String, byte[]>> others =
        batch.stream().filter(record -> !stored.containsKey(record.partition())).toList();
    return rewinds
        .seek(stored)
        .chain(() -> others.isEmpty() ? Uni.createFrom().voidItem() : write(others));
  }

  /** Bisects the batch to the record that cannot be written and skips only that. */
  private Uni<Void> divide(List<ConsumerRecord<String, byte[]>> batch, Throwable why) {
    if (batch.size() == 1) {
      return projection.skip(batch.getFirst(), why);
    }
    int half = batch.size() / 2;
    return write(batch.subList(0, half)).chain(() -> write(batch.subList(half, batch.size())));
  }

  private List<ConsumerRecord<String, byte[]>> take() {
    CompletableFuture<Void> freed = null;
    List<ConsumerRecord<String, byte[]>> batch = new ArrayList<>();
    synchronized (lock) {
      while (!waiting.isEmpty() && batch.size() < MAX_BATCH) {
        batch.add(waiting.remove());
      }
      busy = !batch.isEmpty();
      if (waiting.size() <= MAX_WAITING && !room.isDone()) {
        freed = room;
      }
    }
    if (freed != null) {
      freed.complete(null);
    }
    return batch;
  }

  @Override
  public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    projection.forget();
    Set<Integer> numbers = new HashSet<>();
    partitions.forEach(
        partition -> {
          numbers.add(partition.partition());
          rewinds.forget(partition.partition());
          projection.forgetEnd(partition.partition());
        });
    Map<Integer, Long> stored;
    try {
      stored = projection.stored(numbers).await().atMost(SQL);
    } catch (RuntimeException e) {
      // Still correct: records that are already folded are recognized by their position.
      LOG.warnf("projection: cannot read its positions, reading from the beginning: %s", e);
      stored = Map.of();
    }
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, SQL);
    for (TopicPartition partition : partitions) {
      Long next = stored.get(partition.partition());
      long end = ends.getOrDefault(partition, Long.MAX_VALUE);
      if (next == null || next > end) {
        // If the view's position is after the end of the log, the view is reset before it is read.
        projection.endedAt(partition.partition(), end);
        consumer.seekToBeginning(Set.of(partition));
      } else {
        consumer.seek(partition, next);
      }
    }
  }

  @Override
  public void onPartitionsRevoked(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    synchronized (lock) {
      waiting.removeIf(
          record -> partitions.contains(new TopicPartition(record.topic(), record.partition())));
      partitions.forEach(
          partition -> {
            rewinds.forget(partition.partition());
            projection.forgetEnd(partition.partition());
          });
    }
    projection.forget();
  }
}
