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
 * Feeds the projection. What is polled while a batch is being written becomes the next batch, so a
 * busy log costs few transactions and a quiet one little delay. While Postgres is away it holds
 * what it has and lets no more come. Where the view has come back older than it was, the partition
 * is read again from there ({@link PartitionRewinder}); a record that can never be written is left
 * out.
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
            .invoke(failure -> LOG.warnf("the projection waits: %s", failure))
            .onFailure()
            .retry()
            .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
            .indefinitely(); // What was read must be written; the queue in front is bounded.
    if (batch.size() < SMALL_BATCH) {
      written = written.onItem().delayIt().by(GATHER);
    }
    written
        .subscribe()
        .with(
            done -> drain(),
            failure -> {
              LOG.error("the projection gave a batch up", failure);
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

  /** Takes partitions back to where the view is and writes the others' records. */
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

  /** Finds the one record that cannot be written, and leaves out that one alone. */
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
      // Correct all the same: what has been folded is recognised by its position.
      LOG.warnf("the projection's positions cannot be read, it reads from the beginning: %s", e);
      stored = Map.of();
    }
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, SQL);
    for (TopicPartition partition : partitions) {
      Long next = stored.get(partition.partition());
      long end = ends.getOrDefault(partition, Long.MAX_VALUE);
      if (next == null || next > end) {
        // What is read from its beginning counts only where the view is not beyond the log's end.
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
