/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jboss.logging.Logger;

/**
 * Handles deferred signals when they are due, until each is handled: those of one run in order,
 * those of 16 runs at once. A signal that still cannot be handled is postponed with exponential
 * backoff and jitter, 100 ms to 5 s. Every replica takes part; a signal whose replica dies is due
 * again after 10 s. Thread-safe.
 */
@ApplicationScoped
class DeferredSignalWatcher {
  private static final Logger LOG = Logger.getLogger(DeferredSignalWatcher.class);
  private static final int AT_ONCE = 16;

  /** The projection usually catches up in milliseconds; a busy one is always some time behind. */
  private static final Duration CATCH_UP = Duration.ofMillis(250);

  private static final Duration LONG_CATCH_UP = Duration.ofSeconds(3);
  private static final int LONG_AT_ONCE = 4;
  private static final int SHORT_ATTEMPTS = 4;

  /** While this replica has deferred signals. */
  private static final Duration POLL = Duration.ofMillis(250);

  /** Otherwise: a replica that died may have left some. */
  private static final Duration POLL_IDLE = Duration.ofSeconds(1);

  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration ATTEMPT = Duration.ofSeconds(5);
  private static final Duration SQL = Duration.ofSeconds(3);
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(5);

  private final DeferredSignalRepository signals;
  private final FailoverService failover;
  private final KafkaEventPublisher publisher;
  private final Counter deferred;
  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final Semaphore longCatchUps = new Semaphore(LONG_AT_ONCE);
  private final Semaphore wakeUps = new Semaphore(0);
  private final AtomicLong busyUntil = new AtomicLong(System.nanoTime());
  private volatile boolean stopping;

  DeferredSignalWatcher(
      DeferredSignalRepository signals,
      FailoverService failover,
      KafkaEventPublisher publisher,
      MeterRegistry metrics) {
    this.signals = signals;
    this.failover = failover;
    this.publisher = publisher;
    this.deferred =
        Counter.builder("baton.signals.deferred")
            .description("signals that could not be handled when they were read")
            .register(metrics);
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    Thread.ofVirtual().name("deferred-signals").start(this::work);
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    stopping = true;
    wakeUps.release();
  }

  /**
   * Stores a signal to be handled after {@code delay}. Non-blocking; completes when the signal is
   * durable, and fails like {@link DeferredSignalRepository#store}.
   */
  Uni<Void> defer(RunnerSignal signal, ConsumerRecord<String, byte[]> record, Duration delay) {
    return signals
        .store(signal, record, delay)
        .invoke(
            () -> {
              deferred.increment();
              expect(delay);
            });
  }

  /** Reads the signals more often until this one is due, or another attempt of it. */
  private void expect(Duration delay) {
    long until = System.nanoTime() + delay.plus(LEASE).toNanos();
    busyUntil.accumulateAndGet(until, (a, b) -> a - b > 0 ? a : b);
    wake();
  }

  private void wake() {
    if (wakeUps.availablePermits() == 0) {
      wakeUps.release();
    }
  }

  private void work() {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    while (!stopping) {
      try {
        if (round() == 0) {
          Duration poll = busyUntil.get() - System.nanoTime() > 0 ? POLL : POLL_IDLE;
          wakeUps.tryAcquire(poll.toMillis(), TimeUnit.MILLISECONDS);
          wakeUps.drainPermits();
        }
        backoff.reset();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (Throwable e) {
        // The worker must not end, since nothing would restart it.
        if (!stopping) {
          LOG.warnf("deferred signals: cannot be read, retrying: %s", e);
        }
        if (!backoff.pauseUnlessInterrupted()) {
          return;
        }
      }
    }
  }

  /** Starts the handling of due signals; returns how many. Only this thread takes permits. */
  private int round() {
    int free = permits.availablePermits();
    if (free == 0) {
      return 0;
    }
    List<DeferredSignalRepository.Entry> due = signals.claim(free, LEASE).await().atMost(SQL);
    for (DeferredSignalRepository.Entry entry : due) {
      permits.acquireUninterruptibly();
      Thread.ofVirtual()
          .name("signal-" + entry.signal().run())
          .start(
              () -> {
                try {
                  handle(entry);
                } finally {
                  permits.release();
                  wake();
                }
              });
    }
    return due.size();
  }

  private void handle(DeferredSignalRepository.Entry entry) {
    String run = entry.signal().run();
    boolean isLong = entry.attempts() > SHORT_ATTEMPTS && longCatchUps.tryAcquire();
    try {
      failover
          .handleCaughtUp(
              entry.signal(),
              SignalConsumer.age(entry.publishedAt(), Instant.now()),
              isLong ? LONG_CATCH_UP : CATCH_UP)
          .await()
          .atMost(ATTEMPT);
      signals.delete(entry).await().atMost(SQL);
    } catch (RuntimeException e) {
      if (SignalConsumer.isFinal(e)) {
        bury(entry, e);
        return;
      }
      LOG.warnf(
          "run %s: signal of epoch %d cannot be handled (attempt %d), retrying: %s",
          run, entry.signal().epoch(), entry.attempts(), e);
      try {
        Duration delay = Backoff.delay(FIRST_BACKOFF, MAX_BACKOFF, entry.attempts());
        signals.postpone(entry, delay).await().atMost(SQL);
        expect(delay);
      } catch (RuntimeException lost) {
        LOG.warnf("run %s: its signal is handled again after %s: %s", run, LEASE, lost);
      }
    } finally {
      if (isLong) {
        longCatchUps.release();
      }
    }
  }

  /** Until the dead letter is written, the signal stays and is tried again. */
  private void bury(DeferredSignalRepository.Entry entry, RuntimeException why) {
    String run = entry.signal().run();
    LOG.warnf("run %s: signal sent to the dead letters: %s", run, why);
    try {
      ProducerRecord<String, byte[]> encoded =
          JsonEventCodec.encode(publisher.source(), entry.signal());
      ConsumerRecord<String, byte[]> record =
          new ConsumerRecord<>(
              encoded.topic(), entry.partition(), entry.offset(), run, encoded.value());
      encoded.headers().forEach(record.headers()::add);
      publisher.deadLetter(record, why.toString()).await().atMost(ATTEMPT);
      signals.delete(entry).await().atMost(SQL);
    } catch (RuntimeException e) {
      LOG.errorf("run %s: cannot write the dead letter, retrying: %s", run, e);
    }
  }
}
