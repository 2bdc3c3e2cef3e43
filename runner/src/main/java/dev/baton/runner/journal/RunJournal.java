/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import dev.baton.protocol.topic.Topics;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * One run's lane of the trace, for one epoch. Events are on the log in the order of the calls; when
 * one cannot be written, none after it is: the journal is broken for good, and its run must fail
 * over. Thread-safe.
 */
public final class RunJournal {
  private final String run;
  private final Lane lane;
  private final URI source;
  private final @Nullable String lease;
  private final Producer<String, byte[]> producer;
  private final Consumer<TraceEvent.Runner> onSent;
  private final Consumer<Throwable> onBroken;
  private final ReentrantLock order = new ReentrantLock();
  private long seq;
  private volatile @Nullable Throwable refusal;
  private volatile boolean broken;

  /**
   * @param lease rides on every event; empty for none
   * @param onSent called with each event that has its place in the lane, in that order; must not
   *     block
   * @param onBroken called once, on the producer's thread: must not block
   */
  public RunJournal(
      String run,
      int epoch,
      String runner,
      String lease,
      Producer<String, byte[]> producer,
      Consumer<TraceEvent.Runner> onSent,
      Consumer<Throwable> onBroken) {
    this.run = run;
    this.lane = Lane.runner(epoch);
    this.source = URI.create("/baton/runner/" + runner);
    this.lease = lease.isEmpty() ? null : lease;
    this.producer = producer;
    this.onSent = onSent;
    this.onBroken = onBroken;
  }

  /**
   * Returns when the event, and so every one before it, is on the log.
   *
   * @return the event's time
   * @throws JournalException when it cannot be written, or the journal is closed
   */
  public Instant append(TraceEvent.Runner event) throws InterruptedException {
    CompletableFuture<Void> written = new CompletableFuture<>();
    Instant time = submit(event, written);
    try {
      written.get();
    } catch (ExecutionException e) {
      throw new JournalException(describe(event), e.getCause());
    }
    return time;
  }

  /**
   * Puts the event in its place and does not wait for it.
   *
   * @throws JournalException when the journal is broken or closed
   */
  public void send(TraceEvent.Runner event) throws InterruptedException {
    submit(event, null);
  }

  /** From here on nothing is written: the run is another runner's, or has ended. */
  public void close() {
    refuse(new IllegalStateException("the journal is closed"));
  }

  /** Whether the log could not be written to: no run of this process can go on then. */
  public boolean isBroken() {
    return broken;
  }

  private Instant submit(TraceEvent.Runner event, @Nullable CompletableFuture<Void> written)
      throws InterruptedException {
    Instant time = Instant.now();
    order.lockInterruptibly();
    try {
      Throwable refused = refusal;
      if (refused != null) {
        throw new JournalException(describe(event), refused);
      }
      EventId id = new EventId(run, lane, seq + 1);
      ProducerRecord<String, byte[]> record =
          TraceCodec.encode(Topics.TRACE, new TraceRecord(id, source, time, event), lease);
      producer.send(record, (metadata, failure) -> settled(failure, written));
      seq++;
      onSent.accept(event);
    } catch (InterruptException e) {
      // The client has set the flag again; its own exception is unchecked.
      Thread.interrupted();
      throw (InterruptedException) new InterruptedException(e.getMessage()).initCause(e);
    } catch (KafkaException e) {
      broken(e);
      throw new JournalException(describe(event), e);
    } finally {
      order.unlock();
    }
    return time;
  }

  private void settled(@Nullable Exception failure, @Nullable CompletableFuture<Void> written) {
    if (failure != null) {
      broken(failure);
      if (written != null) {
        written.completeExceptionally(failure);
      }
    } else if (written != null) {
      written.complete(null);
    }
  }

  private void broken(Throwable failure) {
    if (refuse(failure)) {
      // An event that is too large is this run's fault; the others' go the same way and arrive.
      broken = !(failure instanceof RecordTooLargeException);
      onBroken.accept(failure);
    }
  }

  private synchronized boolean refuse(Throwable why) {
    if (refusal != null) {
      return false;
    }
    refusal = why;
    return true;
  }

  private String describe(TraceEvent event) {
    return event.getClass().getSimpleName() + " of run " + run + " in lane " + lane;
  }
}
