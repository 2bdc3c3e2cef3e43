/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.topic.JsonEvents;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends heartbeats from one platform thread of its own, so that neither steps nor a full scheduler
 * of virtual threads delay them. Thread-safe.
 */
public final class Heartbeats implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Heartbeats.class);

  /**
   * Of one run, not acknowledged. More say nothing new, and must not pile up while the brokers are
   * away.
   */
  private static final int MAX_PENDING = 2;

  private final String runner;
  private final URI source;
  private final Producer<String, byte[]> producer;
  private final ProcessUsage usage = new ProcessUsage();
  private final ScheduledThreadPoolExecutor timer;

  public Heartbeats(String runner, Producer<String, byte[]> producer) {
    this.runner = runner;
    this.source = URI.create("/baton/runner/" + runner);
    this.producer = producer;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("heartbeats").unstarted(task));
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Sends the first one at once, then one every interval until the returned beat is ended. */
  public Beat start(String run, int epoch, Duration interval, Duration timeout, Pulse pulse) {
    Beat beat = new Beat(run, epoch, interval, timeout, pulse);
    beat.schedule();
    return beat;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** One run's heartbeats. */
  public final class Beat {
    private final String run;
    private final int epoch;
    private final Duration interval;
    private final Duration timeout;
    private final Pulse pulse;
    private final AtomicInteger pending = new AtomicInteger();
    private @Nullable ScheduledFuture<?> scheduled;
    private boolean over;

    private Beat(String run, int epoch, Duration interval, Duration timeout, Pulse pulse) {
      this.run = run;
      this.epoch = epoch;
      this.interval = interval;
      this.timeout = timeout;
      this.pulse = pulse;
    }

    private synchronized void schedule() {
      scheduled =
          timer.scheduleAtFixedRate(this::beat, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** No more heartbeats, and none that says the run needs no runner: it is to be failed over. */
    public synchronized void stop() {
      over = true;
      if (scheduled != null) {
        scheduled.cancel(false);
      }
    }

    /**
     * The last one, which says that the run needs no runner any more, is on its way when this
     * returns.
     */
    public synchronized void end() {
      if (!over) {
        stop();
        send(Heartbeat.ENDED);
      }
    }

    private synchronized void beat() {
      if (!over && pending.get() < MAX_PENDING) {
        send(pulse.activity().name().toLowerCase(Locale.ROOT));
      }
    }

    private void send(String state) {
      Heartbeat heartbeat =
          new Heartbeat(
              run,
              epoch,
              runner,
              state,
              pulse.step(),
              pulse.lastActivity(),
              interval.toMillis(),
              timeout.toMillis(),
              0,
              0,
              usage.cpu(),
              usage.memoryBytes());
      pending.incrementAndGet();
      try {
        producer.send(JsonEvents.encode(source, heartbeat), (metadata, failure) -> sent(failure));
      } catch (KafkaException | IllegalStateException e) {
        // The next one is the retry; a runner that stays unheard is failed over.
        sent(e);
      }
    }

    private void sent(@Nullable Exception failure) {
      pending.decrementAndGet();
      if (failure != null) {
        LOG.warnf("heartbeat of run %s was not sent: %s", run, failure.getMessage());
      }
    }
  }
}
