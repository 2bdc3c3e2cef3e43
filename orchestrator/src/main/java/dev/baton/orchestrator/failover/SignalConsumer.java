/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.orchestrator.replicas.ReplicaSession;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.server.PostgresErrorClassifier;
import dev.baton.sink.RecordSignatureGuard;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * Consumes signals: of one poll, those of a run in order, those of different runs at once. A signal
 * that cannot be handled at once is deferred: stored in Postgres, and handled by {@link
 * DeferredSignalWatcher}. So a record is acknowledged when its signal is handled or durable, and
 * delays no signal of another run, except while Postgres is unavailable.
 */
@ApplicationScoped
class SignalConsumer {
  private static final Logger LOG = Logger.getLogger(SignalConsumer.class);

  /** Those handled at once share a transaction. */
  private static final int AT_ONCE = 256;

  private static final int LETTER_ATTEMPTS = 5;
  private static final Duration ATTEMPT = Duration.ofSeconds(2);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);

  private final FailoverService failover;
  private final DeferredSignalWatcher deferred;
  private final KafkaEventPublisher publisher;
  private final LeaseAuthenticator leases;
  private final RecordSignatureGuard signatures;
  private final Counter malformed;

  SignalConsumer(
      FailoverService failover,
      DeferredSignalWatcher deferred,
      KafkaEventPublisher publisher,
      LeaseAuthenticator leases,
      ReplicaSession replicas,
      MeterRegistry metrics) {
    this.failover = failover;
    this.deferred = deferred;
    this.publisher = publisher;
    this.leases = leases;
    this.signatures = new RecordSignatureGuard(leases, () -> !replicas.doAllSign());
    this.malformed =
        Counter.builder("baton.signals.malformed")
            .description("records on the signals topic that are not signals")
            .register(metrics);
  }

  @Incoming("signals")
  Uni<Void> consume(ConsumerRecords<String, byte[]> records) {
    Map<String, List<ConsumerRecord<String, byte[]>>> byRun = new LinkedHashMap<>();
    records.forEach(
        record ->
            byRun
                .computeIfAbsent(
                    Objects.requireNonNullElse(record.key(), ""), run -> new ArrayList<>())
                .add(record));
    return Multi.createFrom()
        .iterable(byRun.values())
        .onItem()
        .transformToUni(this::handleInOrder)
        .merge(AT_ONCE)
        .collect()
        .last()
        .replaceWithVoid();
  }

  private Uni<Void> handleInOrder(List<ConsumerRecord<String, byte[]>> ofRun) {
    return Multi.createFrom()
        .iterable(ofRun)
        .onItem()
        .transformToUniAndConcatenate(this::handle)
        .collect()
        .last()
        .replaceWithVoid();
  }

  private Uni<Void> handle(ConsumerRecord<String, byte[]> record) {
    RunnerSignal signal;
    byte[] value = record.value();
    if (value != null && value.length > DeferredSignalRepository.MAX_BYTES) {
      return putAside(
          record,
          "%d bytes; at most %d are allowed"
              .formatted(value.length, DeferredSignalRepository.MAX_BYTES));
    }
    try {
      signal = JsonEventCodec.signal(record.headers(), record.value()).orElse(null);
    } catch (RuntimeException e) {
      return putAside(record, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
    if (signal == null) {
      return Uni.createFrom().voidItem(); // A type of a later version.
    }
    String signature = TraceCodec.signature(record.headers());
    return leases
        .learn(List.of(), signature == null ? List.of() : List.of(signature))
        .onFailure()
        .retry()
        .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
        .indefinitely()
        .chain(
            () -> {
              String name = signal.run() + "/" + signal.epoch();
              String refusal =
                  signatures.refusal(
                      "signal " + name, signal.run(), record.headers(), record.value(), true);
              return refusal == null
                  ? act(signal, record)
                  : putAside(record, name + ": " + refusal);
            });
  }

  private Uni<Void> act(RunnerSignal signal, ConsumerRecord<String, byte[]> record) {
    return failover
        .tryHandle(signal, age(Instant.ofEpochMilli(record.timestamp()), Instant.now()))
        .ifNoItem()
        .after(ATTEMPT)
        .fail()
        .chain(
            handled -> handled ? Uni.createFrom().voidItem() : defer(signal, record, Duration.ZERO))
        .onFailure(failure -> !isFinal(failure))
        .recoverWithUni(
            failure -> {
              LOG.warnf("run %s: failover failed, deferred: %s", signal.run(), failure);
              return defer(signal, record, Backoff.jittered(FIRST_BACKOFF));
            })
        .onFailure()
        .recoverWithUni(failure -> putAside(record, failure.toString()));
  }

  /** A signal is never dropped: without Postgres, the poll waits here. */
  private Uni<Void> defer(
      RunnerSignal signal, ConsumerRecord<String, byte[]> record, Duration delay) {
    return deferred
        .defer(signal, record, delay)
        .ifNoItem()
        .after(SQL)
        .fail()
        .onFailure(failure -> !isFinal(failure))
        .invoke(
            failure ->
                LOG.warnf("run %s: cannot defer its signal, retrying: %s", signal.run(), failure))
        .onFailure(failure -> !isFinal(failure))
        .retry()
        .withBackOff(FIRST_BACKOFF, MAX_BACKOFF)
        .indefinitely();
  }

  /** Time since a signal was published; never negative. */
  static Duration age(Instant published, Instant now) {
    return published.isAfter(now) ? Duration.ZERO : Duration.between(published, now);
  }

  /** Whether the signal itself causes the failure, so that a retry cannot succeed. */
  static boolean isFinal(Throwable failure) {
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
