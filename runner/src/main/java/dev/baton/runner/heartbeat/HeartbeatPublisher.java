/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.runner.lease.LeaseConfirmer;
import dev.baton.runner.lease.RunLease;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends heartbeats from one dedicated platform thread, so that neither steps nor a saturated
 * scheduler of virtual threads delay them. Thread-safe.
 */
public final class HeartbeatPublisher implements AutoCloseable {
  /** The name of the thread that sends the heartbeats. */
  public static final String THREAD = "heartbeats";

  private static final Logger LOG = Logger.getLogger(HeartbeatPublisher.class);

  /**
   * Limit of unacknowledged heartbeats per run. More carry no new information, and must not
   * accumulate while the brokers are unavailable.
   */
  private static final int MAX_PENDING = 2;

  private final String runner;
  private final URI source;
  private final Producer<String, byte[]> producer;
  private final Optional<String> onlyState;
  private final ProcessUsageSampler usage = new ProcessUsageSampler();
  private final ScheduledThreadPoolExecutor timer;

  private final WorkStallDetector work = new WorkStallDetector();

  /**
   * Separate from the heartbeat timer: sending a heartbeat may block while the brokers are
   * unavailable, which is when leases must be checked on time.
   */
  private final ScheduledThreadPoolExecutor watch;

  public HeartbeatPublisher(String runner, Producer<String, byte[]> producer) {
    this(runner, producer, Optional.empty());
  }

  private HeartbeatPublisher(
      String runner, Producer<String, byte[]> producer, Optional<String> onlyState) {
    this.runner = runner;
    this.onlyState = onlyState;
    this.source = URI.create("/baton/runner/" + runner);
    this.producer = producer;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name(THREAD).unstarted(task));
    timer.setRemoveOnCancelPolicy(true);
    this.watch =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("holds").unstarted(task));
    watch.setRemoveOnCancelPolicy(true);
  }

  /** Creates a publisher whose heartbeats have no effect: {@link Heartbeat#WARM_UP}. */
  public static HeartbeatPublisher forWarmup(String runner, Producer<String, byte[]> producer) {
    return new HeartbeatPublisher(runner, producer, Optional.of(Heartbeat.WARM_UP));
  }

  /**
   * Sends the first heartbeat at once, then one every interval until the returned beat is ended.
   *
   * @param lease sent with each heartbeat; empty for none
   * @param hold receives acknowledgements, and is checked when it may have expired
   * @param confirming called while the lease is suspended and heartbeats are acknowledged
   */
  public Beat start(
      String run,
      int epoch,
      String lease,
      Duration interval,
      Duration timeout,
      HeartbeatSource pulse,
      RunLease hold,
      LeaseConfirmer confirming) {
    Beat beat =
        new Beat(
            run, epoch, lease.isEmpty() ? null : lease, interval, timeout, pulse, hold, confirming);
    beat.schedule();
    beat.lookAfter(hold.left());
    return beat;
  }

  /** Returns the work of all heartbeats, without their waits for the brokers. */
  public WorkStallDetector work() {
    return work;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    watch.shutdownNow();
  }

  /** One run's heartbeats. */
  public final class Beat {
    private final String run;
    private final int epoch;
    private final @Nullable String lease;
    private final Duration interval;
    private final Duration timeout;
    private final HeartbeatSource pulse;
    private final RunLease hold;
    private final LeaseConfirmer confirming;
    private final AtomicInteger pending = new AtomicInteger();
    // Kept, also when the topic grows: liveness has the state of the epoch in one partition.
    private @Nullable Integer partition;
    private @Nullable ScheduledFuture<?> scheduled;
    private volatile boolean over;

    private Beat(
        String run,
        int epoch,
        @Nullable String lease,
        Duration interval,
        Duration timeout,
        HeartbeatSource pulse,
        RunLease hold,
        LeaseConfirmer confirming) {
      this.hold = hold;
      this.confirming = confirming;
      this.run = run;
      this.epoch = epoch;
      this.lease = lease;
      this.interval = interval;
      this.timeout = timeout;
      this.pulse = pulse;
    }

    private synchronized void schedule() {
      scheduled =
          timer.scheduleAtFixedRate(this::beat, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Stops the heartbeats without reporting that the run needs no runner, so that it fails over.
     */
    public synchronized void stop() {
      over = true;
      if (scheduled != null) {
        scheduled.cancel(false);
      }
    }

    /**
     * Sends the last heartbeat, which reports that the run no longer needs a runner. It is handed
     * to the producer before this returns.
     */
    public synchronized void end() {
      if (!over) {
        stop();
        send(Heartbeat.ENDED);
      }
    }

    private void lookAfter(Duration left) {
      if (!over && !watch.isShutdown()) {
        var unused = watch.schedule(this::look, left.toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    private void look() {
      if (over) {
        return;
      }
      Duration left = hold.left();
      if (left.isPositive()) {
        lookAfter(left);
        return;
      }
      // Stopping the processes of one run takes a while, and the leases of other runs may expire,
      // too.
      Thread.ofPlatform().daemon().name("hold-" + run).start(this::suspend);
    }

    private void suspend() {
      hold.look();
      lookAfter(interval);
    }

    private void ask() {
      hold.unconfirmed().ifPresent(suspension -> confirming.ask(run, epoch, suspension));
    }

    private synchronized void beat() {
      if (over) {
        return;
      }
      boolean due =
          work.during(
              () -> {
                ask();
                return pending.get() < MAX_PENDING && !hold.isGivenUp();
              });
      if (due) {
        send(pulse.activity().name().toLowerCase(Locale.ROOT));
      }
    }

    private Heartbeat heartbeat(String state) {
      return new Heartbeat(
          run,
          epoch,
          runner,
          onlyState.orElse(state),
          pulse.step(),
          pulse.lastActivity(),
          interval.toMillis(),
          timeout.toMillis(),
          pulse.tokens(),
          pulse.cost(),
          usage.cpu(),
          usage.memoryBytes());
    }

    /** May wait for the brokers. Callers hold the lock. */
    private @Nullable Integer home() {
      if (partition == null) {
        partition = HomePartitioner.choose(run, producer, TopicName.HEARTBEATS);
      }
      return partition;
    }

    /** Callers hold the lock. */
    private void send(String state) {
      pending.incrementAndGet();
      // Taken before the send: the orchestrator receives the heartbeat later, so the lease expires
      // here first.
      long at = System.nanoTime();
      try {
        Integer home = home();
        var beat = work.during(() -> JsonEventCodec.encode(source, heartbeat(state), home, lease));
        producer.send(beat, (metadata, failure) -> sent(at, failure));
      } catch (RuntimeException | Error e) {
        // The next heartbeat is the retry; a runner without heartbeats is failed over. Rethrowing
        // would end all heartbeats of the run.
        sent(at, e);
      }
    }

    private void sent(long at, @Nullable Throwable failure) {
      pending.decrementAndGet();
      if (failure == null) {
        hold.acknowledged(at);
        if (hold.isSuspended()) {
          // Confirming may wait until everything is stopped, and this is the producer's thread.
          Thread.ofVirtual().start(this::ask);
        }
      } else {
        LOG.warnf(
            "run %s: heartbeat not sent; retrying with the next one: %s",
            run, failure.getMessage());
      }
    }
  }
}
