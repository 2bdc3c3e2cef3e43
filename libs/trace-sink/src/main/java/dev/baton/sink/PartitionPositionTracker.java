/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.topic.CommittedRecordsReader;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the assigned partitions and the position in each. On an assignment, reads the stored
 * positions and seeks to them on the polling thread, before any record is polled. If the database
 * is unavailable then, the partition is polled from its beginning, and its position is read before
 * the first batch is applied.
 *
 * <p>Thread-safe: the polling thread assigns partitions, the batch processing advances positions.
 */
final class PartitionPositionTracker {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionPositionTracker.class);

  /** Of each request on the polling thread. */
  private static final Duration REQUEST_TIME = Duration.ofSeconds(10);

  private final PositionStore store;
  private final FatalErrorHandler fatal;
  private final CommittedRecordsReader log;
  private final Map<Integer, PartitionPosition> held = new HashMap<>();
  private final Set<Integer> unread = new HashSet<>();

  PartitionPositionTracker(
      PositionStore store, FatalErrorHandler fatal, CommittedRecordsReader log) {
    this.store = store;
    this.fatal = fatal;
    this.log = log;
  }

  /** Starts the partitions. Call it on the polling thread, before it polls them. */
  void assign(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    revoke(partitions);
    synchronized (this) {
      partitions.forEach(partition -> unread.add(partition.partition()));
    }
    try {
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, REQUEST_TIME);
      try {
        begin(consumer, ends);
      } catch (SinkFatalException e) {
        throw e;
      } catch (RuntimeException e) {
        LOG.warn(
            "trace: cannot read positions, polling from the beginning: {}", RetryForever.words(e));
        consumer.seekToBeginning(partitions.stream().filter(p -> isUnread(p.partition())).toList());
      }
    } catch (SinkFatalException e) {
      throw e;
    } catch (RuntimeException e) {
      throw fatal.because("cannot start reading " + partitions + ": " + RetryForever.words(e));
    }
  }

  /** Reads the positions that could not be read on assignment; returns their partitions. */
  Set<Integer> beginLate(Consumer<?, ?> consumer) {
    List<TopicPartition> late =
        consumer.assignment().stream().filter(p -> isUnread(p.partition())).toList();
    if (!late.isEmpty()) {
      begin(consumer, consumer.endOffsets(late, REQUEST_TIME));
    }
    return numbers(late);
  }

  private void begin(Consumer<?, ?> consumer, Map<TopicPartition, Long> ends) {
    Map<Integer, Long> stored = await(store.read(numbers(ends.keySet())));
    ends.forEach(
        (partition, end) -> {
          long position = stored.getOrDefault(partition.partition(), 0L);
          if (position > end) {
            position = afterEnd(partition, position, end);
          }
          consumer.seek(partition, position);
          start(partition.partition(), position);
        });
  }

  /**
   * For the consumer a partition ends at the first open transaction. An earlier version read
   * uncommitted records and may have stored a position after that.
   */
  private long afterEnd(TopicPartition partition, long position, long committed) {
    long end = log.logEnd(partition, REQUEST_TIME).orElse(committed);
    return position > end ? await(store.restart(partition, position, end)) : position;
  }

  private static <T> T await(Uni<T> request) {
    return request.await().atMost(REQUEST_TIME);
  }

  private static Set<Integer> numbers(Collection<TopicPartition> partitions) {
    Set<Integer> numbers = new HashSet<>();
    partitions.forEach(partition -> numbers.add(partition.partition()));
    return numbers;
  }

  private synchronized void start(int partition, long position) {
    unread.remove(partition);
    held.put(partition, PartitionPosition.at(position));
    notifyAll();
  }

  synchronized void revoke(Collection<TopicPartition> partitions) {
    unread.removeAll(numbers(partitions));
    held.keySet().removeAll(numbers(partitions));
  }

  /** Whether the partition is assigned and its position could not be read yet. */
  synchronized boolean isUnread(int partition) {
    return unread.contains(partition);
  }

  /** Returns the next offset of each partition that is assigned now. */
  synchronized Map<Integer, Long> expected() {
    Map<Integer, Long> expected = new HashMap<>();
    held.forEach((partition, position) -> expected.put(partition, position.next()));
    return expected;
  }

  synchronized @Nullable PartitionPosition of(int partition) {
    return held.get(partition);
  }

  /** Replaces a position if the partition is still assigned and has the expected position. */
  synchronized void replace(int partition, PartitionPosition before, PartitionPosition after) {
    held.replace(partition, before, after);
  }

  /** Moves the positions after a batch, for partitions that are still assigned as at its start. */
  synchronized void advance(Map<Integer, Long> from, Map<Integer, Long> to) {
    to.forEach(
        (partition, next) -> {
          PartitionPosition now = held.get(partition);
          Long before = from.get(partition);
          if (now != null && before != null && now.next() == before) {
            held.put(partition, PartitionPosition.at(next));
          }
        });
    notifyAll();
  }

  /**
   * Blocks until all of these partitions are at or after their offsets.
   *
   * @return false after the timeout
   */
  synchronized boolean awaitReached(Map<Integer, Long> ends, Duration most)
      throws InterruptedException {
    long until = System.nanoTime() + most.toNanos();
    while (!TraceSink.hasReached(expected(), ends)) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }
}
