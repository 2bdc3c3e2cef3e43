/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.journal.JournalException;
import dev.baton.runner.journal.RunJournal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;

/**
 * Publishes the start of a light step only after it has run for 50 to 75 ms, as defined in ADR
 * 0002. One instance for all runs of a process; one timer checks all pending events every 25 ms, so
 * that quick steps do not each wake a thread. Thread-safe.
 */
public final class DelayedStepStarted implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DelayedStepStarted.class);
  private static final Duration HELD_FOR = Duration.ofMillis(50);
  private static final Duration LOOK = Duration.ofMillis(25);

  private final Set<PendingEvent> all = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("announcements").unstarted(task));

  /** The pending event of one step. Closed when the step has ended; then the event is not sent. */
  final class PendingEvent implements AutoCloseable {
    private final RunJournal journal;
    private final TraceEvent.Runner event;
    private final long due = System.nanoTime() + HELD_FOR.toNanos();
    private boolean over;

    private PendingEvent(RunJournal journal, TraceEvent.Runner event) {
      this.journal = journal;
      this.event = event;
    }

    private synchronized void send() throws InterruptedException {
      if (!over) {
        over = true;
        journal.send(event);
      }
    }

    @Override
    public void close() {
      all.remove(this);
      synchronized (this) {
        over = true;
      }
    }
  }

  /** Sends the event to the journal later, unless the returned object is closed before. */
  PendingEvent hold(RunJournal journal, TraceEvent.Runner event) {
    PendingEvent held = new PendingEvent(journal, event);
    all.add(held);
    lookLater();
    return held;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  private void lookLater() {
    if (looking.compareAndSet(false, true)) {
      timer.schedule(this::look, LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    try {
      long now = System.nanoTime();
      for (PendingEvent held : all) {
        if (now - held.due >= 0) {
          all.remove(held);
          send(held);
        }
      }
    } finally {
      // Reset in any case; otherwise no later check would run.
      looking.set(false);
      if (!all.isEmpty()) {
        lookLater();
      }
    }
  }

  private static void send(PendingEvent held) {
    try {
      held.send();
    } catch (JournalException e) {
      // The run's own thread gets the same error at its next event.
      LOG.debugf("start of a step not published: %s", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // For example if the producer is closed. Events of other steps are still sent.
      LOG.warn("start of a step cannot be published", e);
    }
  }
}
