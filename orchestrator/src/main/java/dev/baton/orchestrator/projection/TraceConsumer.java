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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * Feeds the projection. What is polled while a batch is being written becomes the next batch, so a
 * busy log costs few transactions and a quiet one little delay. While Postgres is away it holds
 * what it has, lets no more come, and goes on where it was.
 */
@ApplicationScoped
@Identifier("trace-positions")
class TraceConsumer implements KafkaConsumerRebalanceListener {
  private static final Logger LOG = Logger.getLogger(TraceConsumer.class);
  private static final int MAX_WAITING = 10_000;
  private static final int MAX_BATCH = 5_000;
  private static final int SMALL_BATCH = 64;
  private static final Duration GATHER = Duration.ofMillis(5);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);
  private static final Duration SQL = Duration.ofSeconds(10);

  private final TraceProjection projection;
  private final Object lock = new Object();
  private final ArrayDeque<ConsumerRecord<String, byte[]>> waiting = new ArrayDeque<>();
  private CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
  private boolean busy;

  TraceConsumer(TraceProjection projection) {
    this.projection = projection;
  }

  @Incoming("trace")
  Uni<Void> consume(ConsumerRecords<String, byte[]> records) {
    boolean start;
    CompletableFuture<Void> whenRoom;
    synchronized (lock) {
      records.forEach(waiting::add);
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

  private void drain() {
    List<ConsumerRecord<String, byte[]>> batch = take();
    if (batch.isEmpty()) {
      return;
    }
    Uni<Void> written =
        projection
            .project(batch)
            .onFailure(ViewWriter.Outrun.class)
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
    partitions.forEach(partition -> numbers.add(partition.partition()));
    Map<Integer, Long> stored;
    try {
      stored = projection.stored(numbers).await().atMost(SQL);
    } catch (RuntimeException e) {
      // Correct all the same: what has been folded is recognised by its position.
      LOG.warnf("the projection's positions cannot be read, it reads from the beginning: %s", e);
      stored = Map.of();
    }
    for (TopicPartition partition : partitions) {
      Long next = stored.get(partition.partition());
      if (next == null) {
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
    }
    projection.forget();
  }
}
