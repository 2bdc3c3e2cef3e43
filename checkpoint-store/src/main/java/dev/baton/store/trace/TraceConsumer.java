/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.store.failure.Problems;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * Stores the trace, batch by batch: poison to the dead-letter topic first, then rows and positions
 * in one transaction.
 *
 * <p>While Postgres or Kafka is away a batch is tried again and again, with growing pauses; the
 * partitions are paused meanwhile and nothing is skipped. That has no end by design: the trace may
 * not lose an event, and readiness shows the outage.
 */
@ApplicationScoped
class TraceConsumer {
  private static final Logger LOG = Logger.getLogger(TraceConsumer.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(30);

  private final Assignments assignments;
  private final PositionStore positions;
  private final TraceWriter writer;
  private final DeadLetters deadLetters;
  private final TraceMetrics metrics;
  private final Wakeups wakeups;
  private final Fatal fatal;

  TraceConsumer(
      @Identifier("trace-positions") Assignments assignments,
      PositionStore positions,
      TraceWriter writer,
      DeadLetters deadLetters,
      TraceMetrics metrics,
      Wakeups wakeups,
      Fatal fatal) {
    this.assignments = assignments;
    this.positions = positions;
    this.writer = writer;
    this.deadLetters = deadLetters;
    this.metrics = metrics;
    this.wakeups = wakeups;
    this.fatal = fatal;
  }

  @Incoming("trace")
  Uni<Void> consume(ConsumerRecords<byte[], byte[]> records) {
    return Uni.createFrom()
        .item(() -> Decoder.decode(records))
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .chain(this::take)
        .invoke(() -> metrics.delayed(age(records)));
  }

  private Uni<Void> take(DecodedBatch decoded) {
    Map<Integer, Long> expected = assignments.expected();
    DecodedBatch batch = decoded.from(expected);
    return bury(batch).chain(() -> store(batch, expected));
  }

  private Uni<Void> bury(DecodedBatch batch) {
    if (batch.poison().isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return Multi.createFrom()
        .iterable(batch.poison())
        .onItem()
        .transformToUniAndConcatenate(
            poison ->
                insist(
                    "send a record to the dead-letter topic",
                    Uni.createFrom()
                        .deferred(() -> deadLetters.send(poison))
                        .invoke(() -> report(poison))))
        .collect()
        .last()
        .replaceWithVoid();
  }

  private void report(Poison poison) {
    metrics.poisoned();
    LOG.warnf(
        "%s-%d offset %d went to the dead-letter topic: %s",
        poison.record().topic(),
        poison.record().partition(),
        poison.record().offset(),
        poison.reason());
  }

  private Uni<Void> store(DecodedBatch batch, Map<Integer, Long> expected) {
    if (batch.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    long start = System.nanoTime();
    return insist(
            "store " + batch.events().size() + " events",
            Uni.createFrom().deferred(() -> writer.write(batch, expected)))
        .chain(
            outcome ->
                switch (outcome) {
                  case TraceWriter.Outcome.Stored stored -> {
                    assignments.advance(expected, batch.next());
                    metrics.stored(
                        batch, stored.events(), Duration.ofNanos(System.nanoTime() - start));
                    wakeups.wake(batch.runs());
                    yield Uni.createFrom().voidItem();
                  }
                  case TraceWriter.Outcome.Moved moved -> reconcile(batch, expected);
                });
  }

  /**
   * A position is ahead of what we expect: our own commit whose answer was lost, or another
   * consumer took over. Both have stored what lies before it, so only the rest is ours.
   */
  private Uni<Void> reconcile(DecodedBatch batch, Map<Integer, Long> expected) {
    return insist(
            "read the positions",
            Uni.createFrom().deferred(() -> positions.read(batch.next().keySet())))
        .chain(
            actual -> {
              actual.forEach(
                  (partition, position) -> {
                    if (position < expected.getOrDefault(partition, 0L)) {
                      throw fatal.because(
                          "the position of partition %d went back from %d to %d"
                              .formatted(partition, expected.get(partition), position));
                    }
                  });
              assignments.advance(expected, actual);
              wakeups.wake(batch.runs());
              return store(batch.from(actual), actual);
            });
  }

  /** Tries until it works. */
  private static <T> Uni<T> insist(String what, Uni<T> attempt) {
    return attempt
        .ifNoItem()
        .after(LONGEST_ATTEMPT)
        .fail()
        .onFailure()
        .invoke(e -> LOG.warnf("could not %s, trying again: %s", what, Problems.words(e)))
        .onFailure()
        .retry()
        .withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
        .withJitter(0.2)
        .indefinitely();
  }

  private static Duration age(ConsumerRecords<byte[], byte[]> records) {
    long last = 0;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      last = Math.max(last, record.timestamp());
    }
    return Duration.ofMillis(Math.max(0, System.currentTimeMillis() - last));
  }
}
