/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.server.PostgresErrorClassifier;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/** Consumes signals; those of one poll are handled in parallel. */
@ApplicationScoped
class SignalConsumer {
  private static final Logger LOG = Logger.getLogger(SignalConsumer.class);
  private static final int AT_ONCE = 8;
  private static final int LETTER_ATTEMPTS = 5;
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);

  private final FailoverService failover;
  private final KafkaEventPublisher publisher;
  private final Counter malformed;

  SignalConsumer(FailoverService failover, KafkaEventPublisher publisher, MeterRegistry metrics) {
    this.failover = failover;
    this.publisher = publisher;
    this.malformed =
        Counter.builder("baton.signals.malformed")
            .description("records on the signals topic that are not signals")
            .register(metrics);
  }

  @Incoming("signals")
  Uni<Void> consume(ConsumerRecords<String, byte[]> records) {
    List<ConsumerRecord<String, byte[]>> all = new ArrayList<>(records.count());
    records.forEach(all::add);
    return Multi.createFrom()
        .iterable(all)
        .onItem()
        .transformToUni(this::handle)
        .merge(AT_ONCE)
        .collect()
        .last()
        .replaceWithVoid();
  }

  private Uni<Void> handle(ConsumerRecord<String, byte[]> record) {
    RunnerSignal signal;
    try {
      signal = JsonEventCodec.signal(record.headers(), record.value()).orElse(null);
    } catch (RuntimeException e) {
      return putAside(record, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
    if (signal == null) {
      return Uni.createFrom().voidItem(); // A type of a later version.
    }
    return failover
        .handle(signal, age(record))
        .ifNoItem()
        .after(SQL)
        .fail()
        .onFailure()
        .invoke(
            failure -> LOG.warnf("run %s: failover failed, retrying: %s", signal.run(), failure))
        .onFailure(failure -> !isFinal(failure))
        .retry()
        .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
        .indefinitely() // A signal is never dropped; each poll is bounded.
        .replaceWithVoid()
        .onFailure()
        .recoverWithUni(failure -> putAside(record, failure.toString()));
  }

  private static Duration age(ConsumerRecord<String, byte[]> record) {
    return Duration.ofMillis(Math.max(0, System.currentTimeMillis() - record.timestamp()));
  }

  /** Whether the signal itself causes the failure, so that a retry cannot succeed. */
  private static boolean isFinal(Throwable failure) {
    return PostgresErrorClassifier.isFinal(failure)
        || failure instanceof NullPointerException
        || failure instanceof IllegalArgumentException
        || failure instanceof ArithmeticException
        || failure instanceof DateTimeException;
  }

  private Uni<Void> putAside(ConsumerRecord<String, byte[]> record, String reason) {
    malformed.increment();
    LOG.warnf(
        "%s partition %d offset %d: not a valid signal, sent to the dead letters: %s",
        record.topic(), record.partition(), record.offset(), reason);
    return publisher
        .deadLetter(record, reason)
        .onFailure()
        .retry()
        .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
        .atMost(LETTER_ATTEMPTS)
        // The other signals of the poll must still be handled.
        .onFailure()
        .invoke(
            failure ->
                LOG.errorf(
                    "%s partition %d offset %d key %s: cannot write the dead letter: %s",
                    record.topic(), record.partition(), record.offset(), record.key(), failure))
        .onFailure()
        .recoverWithNull();
  }
}
