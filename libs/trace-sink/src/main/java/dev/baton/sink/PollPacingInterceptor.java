/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Delays polls that follow each other within {@link #INTERVAL}, on the thread that polls. A fast
 * run writes an event every few hundred microseconds; a paced consumer fetches many of them at
 * once, and its handler writes them in one transaction.
 *
 * <p>The first records after a pause are not delayed, neither are polls with at least {@link
 * #FULL_BYTES}. With {@code fetch.min.bytes=1}, an idle consumer so sends one request for each
 * {@code fetch.max.wait.ms}, and receives a record as soon as it is written; a minimum of bytes
 * would need a short wait, and a request for each of them, on an idle topic too.
 *
 * <p>Kafka instantiates the class by name, once for each consumer. Not thread-safe: only the
 * polling thread calls it.
 */
public final class PollPacingInterceptor implements ConsumerInterceptor<byte[], byte[]> {
  /** The least time between two polls that return records. */
  static final Duration INTERVAL = Duration.ofMillis(25);

  /** Keys and values of a poll that is not delayed. */
  static final long FULL_BYTES = 128 << 10;

  private final long intervalNanos;
  private long last;

  /** Creates one with {@link #INTERVAL}. */
  public PollPacingInterceptor() {
    this(INTERVAL);
  }

  PollPacingInterceptor(Duration interval) {
    this.intervalNanos = interval.toNanos();
    this.last = System.nanoTime() - intervalNanos;
  }

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    if (records.isEmpty()) {
      return records;
    }
    long rest = last + intervalNanos - System.nanoTime();
    if (rest > 0 && !isFull(records)) {
      try {
        // The pause itself is the purpose: it bounds the rate of polls, and ends with no event.
        Thread.sleep(Duration.ofNanos(rest));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    last = System.nanoTime();
    return records;
  }

  private static boolean isFull(ConsumerRecords<byte[], byte[]> records) {
    long bytes = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      bytes += Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
      if (bytes >= FULL_BYTES) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void close() {}

  @Override
  public void configure(Map<String, ?> configs) {}
}
