/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.runner.secrets.TraceEventMasker;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Appends the events of one run, in one epoch, to its lane of the trace. Events are on the log in
 * call order. After one event cannot be written, none is: the journal is permanently broken, and
 * its run must fail over.
 *
 * <p>The producer buffers unacknowledged events and sends them, in order and exactly once, for as
 * long as it lives and its delivery timeout allows. While the run is suspended they are also in an
 * {@link EventSpoolFile}, which outlives the process and the run's folder. Thread-safe.
 */
public final class RunJournal {
  private static final Logger LOG = Logger.getLogger(RunJournal.class);

  private final String run;
  private final @Nullable Integer home;
  private final Lane lane;
  private final URI source;
  private final @Nullable String lease;
  private final Producer<String, byte[]> producer;
  private final TraceEventMasker masker;
  private final Consumer<TraceEvent.Runner> onSent;
  private final Consumer<Throwable> onBroken;
  private final Path spoolFile;
  private final long spoolMax;
  private final ReentrantLock order = new ReentrantLock();
  private long seq;
  private volatile @Nullable Throwable refusal;
  private volatile boolean broken;

  /** Sent and unacknowledged events by sequence number. */
  private final ConcurrentSkipListMap<Long, TraceRecord> pending = new ConcurrentSkipListMap<>();

  // Never held while the producer is called, which may block for long.
  private final Object spooling = new Object();
  private volatile @Nullable EventSpoolFile spool;

  /** Whether new events are also added to the spool. */
  private boolean suspended;

  /** The run is resumed: the spool is deleted once its events are acknowledged. */
  private boolean draining;

  private boolean spoolEnded;

  /**
   * @param home the run's home partition; empty: Kafka's client chooses
   * @param lease sent with every event; empty for none
   * @param masker of the run's secrets
   * @param spools location and limit of the spool that stores events while the run is suspended
   * @param onSent called with each event that has its place in the lane, in that order; must not
   *     block
   * @param onBroken called once, on the producer's or a caller's thread; must not block
   */
  public RunJournal(
      String run,
      int epoch,
      OptionalInt home,
      String runner,
      String lease,
      Producer<String, byte[]> producer,
      TraceEventMasker masker,
      EventSpoolSettings spools,
      Consumer<TraceEvent.Runner> onSent,
      Consumer<Throwable> onBroken) {
    this.spoolFile = spools.file(run, epoch);
    this.spoolMax = spools.maxBytes();
    this.run = run;
    this.home = home.isPresent() ? home.getAsInt() : null;
    this.lane = Lane.runner(epoch);
    this.source = URI.create("/baton/runner/" + runner);
    this.lease = lease.isEmpty() ? null : lease;
    this.producer = producer;
    this.masker = masker;
    this.onSent = onSent;
    this.onBroken = onBroken;
  }

  /**
   * Appends an event. Returns when the event, and so every event before it, is on the log.
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
   * Appends an event without waiting for its acknowledgement.
   *
   * @throws JournalException when the journal is broken or closed
   */
  public void send(TraceEvent.Runner event) throws InterruptedException {
    submit(event, null);
  }

  /**
   * Spools events while the run is suspended: when this returns, all unacknowledged events are in
   * the file, and later ones are added to it. If that fails, the journal is broken. Blocks for the
   * disk.
   */
  public void beginSpool() {
    synchronized (spooling) {
      if (spoolEnded) {
        return;
      }
      draining = false;
      if (!pending.isEmpty()) {
        spool(List.copyOf(pending.values()));
      }
      suspended = true;
    }
  }

  /**
   * Stops spooling when the run is resumed; the file is deleted once its events are acknowledged.
   */
  public void drainSpool() {
    synchronized (spooling) {
      suspended = false;
      draining = true;
      deleteDrained();
    }
  }

  /**
   * Ends the spool when the run has ended or is no longer assigned to this runner. No event may be
   * written after this.
   *
   * @param ended whether all events of the run are on the log
   * @return the file that is kept, if any
   */
  public Optional<RetainedSpoolFile> endSpool(boolean ended) {
    synchronized (spooling) {
      spoolEnded = true;
      suspended = false;
      EventSpoolFile last = spool;
      if (last == null) {
        return Optional.empty();
      }
      if (ended || (draining && !isInSpool(pending, last))) {
        delete(last);
        return Optional.empty();
      }
      spool = null;
      try {
        last.close();
      } catch (IOException e) {
        LOG.warnf("%s: %s", spoolFile, e.getMessage());
      }
      return Optional.of(last.kept());
    }
  }

  /** Called with the lock of the spool held. */
  private void spool(List<TraceRecord> records) {
    try {
      EventSpoolFile to = spool;
      if (to == null) {
        to = EventSpoolFile.open(spoolFile, spoolMax);
        spool = to;
      }
      for (TraceRecord record : records) {
        to.add(record);
      }
    } catch (IOException e) {
      if (refuse(e)) {
        onBroken.accept(e);
      }
    }
  }

  private void deleteDrained() {
    EventSpoolFile drained = spool;
    if (drained != null && draining && !isInSpool(pending, drained)) {
      delete(drained);
    }
  }

  private static boolean isInSpool(
      ConcurrentSkipListMap<Long, TraceRecord> pending, EventSpoolFile spool) {
    Map.Entry<Long, TraceRecord> first = pending.firstEntry();
    return first != null && first.getKey() <= spool.lastSeq();
  }

  private void delete(EventSpoolFile drained) {
    spool = null;
    try {
      drained.delete();
    } catch (IOException e) {
      LOG.warnf(
          "event spool %s: cannot be deleted; all its events are on the log: %s",
          spoolFile, e.getMessage());
    }
  }

  /** Refuses all further events: the run has ended or is assigned to another runner. */
  public void close() {
    refuse(new IllegalStateException("the journal is closed"));
  }

  /** Whether the log could not be written; then no run of this process can continue. */
  public boolean isBroken() {
    return broken;
  }

  private Instant submit(TraceEvent.Runner original, @Nullable CompletableFuture<Void> written)
      throws InterruptedException {
    TraceEvent.Runner event = masker.mask(original);
    Instant time = Instant.now();
    order.lockInterruptibly();
    try {
      Throwable refused = refusal;
      if (refused != null) {
        throw new JournalException(describe(event), refused);
      }
      EventId id = new EventId(run, lane, seq + 1);
      TraceRecord placed = new TraceRecord(id, source, time, event);
      ProducerRecord<String, byte[]> record =
          TraceCodec.encode(TopicName.TRACE, home, placed, lease);
      keep(placed);
      producer.send(record, (metadata, failure) -> settled(id.seq(), failure, written));
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

  /**
   * @throws JournalException when the spool cannot store the event
   */
  private void keep(TraceRecord record) {
    synchronized (spooling) {
      pending.put(record.id().seq(), record);
      if (suspended) {
        spool(List.of(record));
      }
    }
    Throwable refused = refusal;
    if (refused != null) {
      throw new JournalException(describe(record.event()), refused);
    }
  }

  private void settled(
      long settled, @Nullable Exception failure, @Nullable CompletableFuture<Void> written) {
    if (failure == null) {
      pending.remove(settled);
      if (spool != null) {
        // Disk access must not block the producer's thread.
        Thread.ofVirtual().start(this::drained);
      }
    }
    if (failure != null) {
      broken(failure);
      if (written != null) {
        written.completeExceptionally(failure);
      }
    } else if (written != null) {
      written.complete(null);
    }
  }

  private void drained() {
    synchronized (spooling) {
      deleteDrained();
    }
  }

  private void broken(Throwable failure) {
    if (refuse(failure)) {
      // An event that is too large affects only this run; the events of other runs still arrive.
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
