/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Merges the partitions of the dead-letter topics backwards, newest first, until the page is full,
 * {@value #MOST_SCANNED} records were compared, or the time is over. Each partition is read in
 * chunks of {@value #CHUNK} offsets from its end, so that memory does not depend on the size of the
 * topics. For one thread.
 */
final class DeadLetterMerger {
  /** Offsets of a partition that are read at once. */
  static final int CHUNK = 64;

  /** Records that are compared for one page at most; the next page continues after them. */
  static final int MOST_SCANNED = 20_000;

  private static final Duration MOST_TIME = Duration.ofSeconds(10);
  private static final Duration SCAN_TIME = Duration.ofSeconds(5);

  /**
   * A page.
   *
   * @param deadLetters newest first; with a filter, there may be fewer than the limit although more
   *     pages follow
   * @param nextCursor for the next page; null when there are no more
   */
  @Schema(name = "DeadLetterPage")
  record Page(List<DeadLetterView> deadLetters, @Nullable String nextCursor) {}

  private final DeadLetterConsumer consumer;
  private final DeadLetterQuery query;
  private final long begun = System.nanoTime();

  /** What is not read yet, by partition. */
  private final Map<TopicPartition, DeadLetterConsumer.Range> rest = new HashMap<>();

  /** Entries that are read, newest first, by partition. */
  private final Map<TopicPartition, Deque<DeadLetterConsumer.Entry>> read = new HashMap<>();

  /** The newest entry of each partition. */
  private final PriorityQueue<DeadLetterPosition> heads = new PriorityQueue<>();

  DeadLetterMerger(DeadLetterConsumer consumer, DeadLetterQuery query) {
    this.consumer = consumer;
    this.query = query;
  }

  /**
   * Reads the page.
   *
   * @throws org.apache.kafka.common.KafkaException when the brokers do not answer
   */
  Page page() {
    rest.putAll(consumer.ranges(query.topics(), query.after()));
    load(List.copyOf(rest.keySet()));
    List<DeadLetterView> page = new ArrayList<>();
    int scanned = 0;
    DeadLetterPosition last = null;
    while (!heads.isEmpty()) {
      if (last != null
          && (page.size() == query.limit() || scanned == MOST_SCANNED || isLate(SCAN_TIME))) {
        return new Page(page, last.toString());
      }
      TopicPartition partition = heads.remove().partition();
      Deque<DeadLetterConsumer.Entry> entries = entries(partition);
      DeadLetterConsumer.Entry newest = entries.removeFirst();
      last = newest.position();
      scanned++;
      if (query.matches(newest.letter())) {
        page.add(newest.letter());
      }
      if (entries.isEmpty()) {
        load(List.of(partition));
      } else {
        heads.add(entries.getFirst().position());
      }
    }
    return new Page(page, null);
  }

  private boolean isLate(Duration limit) {
    return System.nanoTime() - begun > limit.toNanos();
  }

  /** Reads the next entries of partitions that have none, and adds their heads. */
  private void load(List<TopicPartition> partitions) {
    List<TopicPartition> empty = new ArrayList<>(partitions);
    // A chunk may contain no record: transaction markers have offsets, too.
    while (!empty.isEmpty()) {
      Map<TopicPartition, DeadLetterConsumer.Range> chunks = new HashMap<>();
      for (TopicPartition partition : empty) {
        DeadLetterConsumer.Range left = rest.remove(partition);
        if (left != null) {
          long start = Math.max(left.start(), left.end() - CHUNK);
          chunks.put(partition, new DeadLetterConsumer.Range(start, left.end()));
          if (start > left.start()) {
            rest.put(partition, new DeadLetterConsumer.Range(left.start(), start));
          }
        }
      }
      empty.clear();
      if (chunks.isEmpty()) {
        return;
      }
      consumer
          .read(chunks, begun + MOST_TIME.toNanos())
          .forEach(
              (partition, found) -> {
                found.removeIf(entry -> !isAfter(entry));
                if (found.isEmpty()) {
                  empty.add(partition);
                } else {
                  entries(partition).addAll(found);
                  heads.add(found.getFirst().position());
                }
              });
    }
  }

  /** Whether the entry comes after the last one of the previous page. */
  private boolean isAfter(DeadLetterConsumer.Entry entry) {
    DeadLetterPosition after = query.after();
    return after == null || entry.position().compareTo(after) > 0;
  }

  private Deque<DeadLetterConsumer.Entry> entries(TopicPartition partition) {
    return read.computeIfAbsent(partition, _ -> new ArrayDeque<>());
  }
}
