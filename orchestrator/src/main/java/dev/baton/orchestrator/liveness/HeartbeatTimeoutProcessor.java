/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Watches the runs of one partition. A runner is lost when no heartbeat was read for its timeout,
 * counted from the latest of: its last heartbeat, the end of a pause of this process, and the time
 * since which the broker has answered this process without interruption; and when all records that
 * the partition had at the end of that time have been read. So an outage of liveness or of the
 * broker causes no loss, and a partition that moves from another replica is judged by the
 * heartbeats that the other replica has read (ADR 0016).
 *
 * <pre>
 *   heartbeat of a newer epoch      watch it instead of the older one
 *   with a lease, after one without watch it instead, also of an older epoch
 *   without a lease, after one with ignored; of a newer epoch, watched in addition: it may be a
 *                                   runner of an earlier version, but must hide no silence
 *   with an invalid lease           to the dead letters, with the reason
 *   heartbeat of an older epoch     ignored
 *   heartbeat "ended"               stop watching
 *   silence over the timeout        signal heartbeats_missed; repeated with backoff while it lasts
 *   the same, moved elsewhere       stop watching: the task of the other partition does (ADR 0053)
 *   reported and still silent       forgotten after an hour
 *   not a heartbeat                 to the dead letters, with the reason
 * </pre>
 */
final class HeartbeatTimeoutProcessor implements Processor<String, byte[], String, Object> {
  static final String STORE = "runners";

  /** The child nodes: for signals, and for records that are not heartbeats. */
  static final String SIGNALS = "encode";

  static final String DEAD_LETTERS = "dead-letters";
  static final Duration TICK = Duration.ofMillis(100);

  /** Ends the key of a runner without a lease if the run has one with a lease. */
  private static final String WITHOUT_LEASE = "~";

  private static final Logger LOG = Logger.getLogger(HeartbeatTimeoutProcessor.class);
  private static final long MAX_TICK_GAP_MILLIS = 2_000;
  private static final long NEVER = -1;
  private static final long MAX_REPEAT_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final long FORGET_MILLIS = Duration.ofHours(1).toMillis();

  /** For the clocks of the brokers and of this process, which a repeated lookup compares. */
  private static final long CLOCK_DIFFERENCE_MILLIS = Duration.ofSeconds(10).toMillis();

  private final BrokerConnectivity contact;
  private final MovedRunnerLookup elsewhere;
  private final HeartbeatAuthenticator leases;
  private final LivenessMetrics metrics;
  // The content of the store, read once, and when each entry is to be checked: a tick only visits
  // those that are due.
  private final Map<String, Runner> known = new HashMap<>();
  private final PriorityQueue<Check> checks =
      new PriorityQueue<>(Comparator.comparingLong(Check::at));
  private @Nullable ProcessorContext<String, Object> context;
  private @Nullable KeyValueStore<String, WatchedRunner> runners;
  private int partition;
  private long nextOffset;

  /** The signals of a tick. */
  private final List<RunnerSignal> signals = new ArrayList<>();

  private long awakeSince;
  private long lastTick;
  private boolean loaded;

  /** A check that is due at {@code at}; void when a later one was planned since. */
  private record Check(long at, String key, Runner runner) {
    boolean isPlanned() {
      return runner.checkAt == at;
    }
  }

  private static final class Runner {
    final String run;
    WatchedRunner watched;
    long signalledAt;
    int signals;
    long checkAt;
    long stayedUntil;

    Runner(String run, WatchedRunner watched) {
      this.run = run;
      this.watched = watched;
    }

    long nextSignal() {
      long timeout = watched.timeoutMs();
      return signalledAt
          + Math.max(timeout, Math.min(MAX_REPEAT_MILLIS, timeout << Math.min(signals, 10)));
    }

    /** The first repetition follows after another timeout, later ones with increasing intervals. */
    boolean isDue(long now) {
      return signals == 0 || now > nextSignal();
    }
  }

  HeartbeatTimeoutProcessor(
      BrokerConnectivity contact,
      MovedRunnerLookup elsewhere,
      HeartbeatAuthenticator leases,
      LivenessMetrics metrics) {
    this.contact = contact;
    this.elsewhere = elsewhere;
    this.leases = leases;
    this.metrics = metrics;
  }

  @Override
  public void init(ProcessorContext<String, Object> newContext) {
    context = newContext;
    runners = newContext.getStateStore(STORE);
    partition = newContext.taskId().partition();
    // Kafka Streams reuses this object when the partition returns to this replica (a standby task
    // that becomes active again): the store has what another replica has read meanwhile.
    known.clear();
    checks.clear();
    signals.clear();
    loaded = false;
    nextOffset = 0;
    // The context's clock may not run yet: the first tick sets it.
    awakeSince = 0;
    lastTick = NEVER;
    newContext.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, this::tick);
  }

  @Override
  public void close() {
    metrics.unwatched(partition);
  }

  /** Loads the state that this or another replica stored before. */
  private void load(long now) {
    if (loaded) {
      return;
    }
    loaded = true;
    try (KeyValueIterator<String, WatchedRunner> all = runners().all()) {
      all.forEachRemaining(
          entry -> {
            WatchedRunner kept = entry.value;
            // A time that is unknown, or of a clock that is ahead, is replaced by the current time.
            boolean usable = kept.heardAt() > 0 && kept.heardAt() <= now;
            String run =
                entry.key.endsWith(WITHOUT_LEASE)
                    ? entry.key.substring(0, entry.key.length() - WITHOUT_LEASE.length())
                    : entry.key;
            watch(entry.key, new Runner(run, usable ? kept : kept.heardAt(now)), now);
          });
    }
  }

  private void watch(String key, Runner runner, long checkAt) {
    known.put(key, runner);
    plan(key, runner, checkAt);
  }

  private void plan(String key, Runner runner, long at) {
    runner.checkAt = at;
    checks.add(new Check(at, key, runner));
  }

  @Override
  public void process(Record<String, byte[]> record) {
    nextOffset = context().recordMetadata().map(RecordMetadata::offset).orElse(nextOffset - 1) + 1;
    Heartbeat heartbeat;
    boolean attested;
    try {
      heartbeat = JsonEventCodec.heartbeat(record.headers(), record.value());
      if (!heartbeat.run().equals(record.key())) {
        throw new IllegalArgumentException("its run is not the key");
      }
      if (heartbeat.state().equals(Heartbeat.WARM_UP)) {
        return;
      }
      attested = leases.isAttested(TraceCodec.lease(record.headers()), heartbeat);
    } catch (IllegalArgumentException notOne) {
      putAside(record, Objects.requireNonNullElse(notOne.getMessage(), notOne.toString()));
      return;
    }
    metrics.heartbeat();
    accept(heartbeat, attested, record.timestamp(), context().currentSystemTimeMs());
  }

  private void putAside(Record<String, byte[]> record, String reason) {
    metrics.malformed();
    LOG.warnf("partition %d, offset %d: not a heartbeat: %s", partition, nextOffset - 1, reason);
    DeadLetter letter =
        DeadLetter.of(
                record.headers(),
                record.value(),
                reason,
                TopicName.HEARTBEATS,
                partition,
                nextOffset - 1)
            .cut();
    // The sink rejects a record without a timestamp.
    long time = Math.max(0, record.timestamp());
    context()
        .<@Nullable String, @Nullable Object>forward(
            new Record<>(record.key(), letter.value(), time, letter.headers()), DEAD_LETTERS);
  }

  private void accept(Heartbeat heartbeat, boolean attested, long sentAt, long now) {
    load(now);
    String run = heartbeat.run();
    String key = run;
    Runner runner = known.get(key);
    WatchedRunner before = runner == null ? null : runner.watched;
    if (attested) {
      forgetOvertaken(run, heartbeat.epoch());
      if (before != null && !before.attested() && before.epoch() > heartbeat.epoch()) {
        runner = null;
        before = null;
      }
    } else if (before != null && before.attested()) {
      if (before.epoch() >= heartbeat.epoch()) {
        metrics.refused();
        return;
      }
      key = run + WITHOUT_LEASE;
      runner = known.get(key);
      before = runner == null ? null : runner.watched;
    }
    if (before != null && before.epoch() > heartbeat.epoch()) {
      return;
    }
    if (heartbeat.state().equals(Heartbeat.ENDED)) {
      forget(key);
      return;
    }
    boolean sameEpoch = before != null && before.epoch() == heartbeat.epoch();
    if (sameEpoch && before != null && before.hasCounted(nextOffset - 1, sentAt)) {
      return;
    }
    boolean reported = sameEpoch && before != null && before.reported();
    long since = sameEpoch && before != null ? before.since() : now;
    WatchedRunner heard =
        WatchedRunner.of(heartbeat, attested, reported, now, nextOffset - 1, sentAt, since);
    runners().put(key, heard);
    long due = now + heard.timeoutMs() + 1;
    if (runner == null || !sameEpoch) {
      watch(key, new Runner(run, heard), due);
      return;
    }
    runner.watched = heard;
    runner.signals = 0;
    // A check that runs too early plans itself again with the new time.
    if (due < runner.checkAt) {
      plan(key, runner, due);
    }
  }

  /** Stops watching a runner without a lease of this or an older epoch. */
  private void forgetOvertaken(String run, int epoch) {
    String key = run + WITHOUT_LEASE;
    Runner other = known.get(key);
    if (other != null && other.watched.epoch() <= epoch) {
      forget(key);
    }
  }

  private void forget(String key) {
    if (known.remove(key) != null) {
      runners().delete(key);
    }
  }

  private void tick(long now) {
    if (lastTick >= 0 && now - lastTick > MAX_TICK_GAP_MILLIS) {
      LOG.infof("liveness: partition %d was paused for %d ms", partition, now - lastTick);
      awakeSince = now;
    }
    lastTick = now;
    load(now);
    long hearingSince = Math.max(awakeSince, contact.unbrokenSince());
    long heardUntil = Math.min(now, contact.asOf());
    boolean readAll = hasReadAll();
    for (Check due = checks.peek(); due != null && due.at() <= now; due = checks.peek()) {
      checks.remove();
      if (due.isPlanned() && known.get(due.key()) == due.runner()) {
        check(due.key(), due.runner(), now, hearingSince, readAll ? heardUntil : hearingSince);
      }
    }
    metrics.watched(partition, known.size());
    if (!signals.isEmpty()) {
      context()
          .<@Nullable String, Object>forward(
              new Record<>(null, List.copyOf(signals), now), SIGNALS);
      signals.clear();
    }
  }

  /**
   * @param heardUntil all heartbeats sent until then have been read
   */
  private void check(String key, Runner runner, long now, long hearingSince, long heardUntil) {
    long since = Math.max(hearingSince, runner.watched.heardAt());
    long silence = heardUntil - since;
    long timeout = runner.watched.timeoutMs();
    if (runner.watched.reported() && silence > FORGET_MILLIS) {
      forget(key);
    } else if (silence <= timeout) {
      plan(key, runner, Math.max(since + timeout, now) + 1);
    } else if (!runner.isDue(now)) {
      plan(key, runner, runner.nextSignal() + 1);
    } else {
      judge(key, runner, now, silence);
    }
  }

  /** Reports a silent run, unless its heartbeats continue in another partition. */
  private void judge(String key, Runner runner, long now, long silence) {
    String run = runner.run;
    WatchedRunner watched = runner.watched;
    var query =
        new MovedRunnerLookup.Query(
            partition,
            run,
            watched.epoch(),
            Math.max(watched.sentAt(), runner.stayedUntil),
            watched.attested());
    switch (elsewhere.look(query, watched.since())) {
      case PENDING -> plan(key, runner, now + 1);
      case MOVED -> {
        LOG.infof(
            "run %s epoch %d: its heartbeats have moved from partition %d to another one",
            run, watched.epoch(), partition);
        forget(key);
      }
      case STAYED -> {
        runner.stayedUntil = now - CLOCK_DIFFERENCE_MILLIS;
        report(key, runner, now, silence);
        plan(key, runner, runner.nextSignal() + 1);
      }
    }
  }

  private boolean hasReadAll() {
    OptionalLong end = contact.end(partition);
    long read = contact.over(partition, Math.max(nextOffset, contact.done(partition)));
    return end.isPresent() && read >= end.getAsLong();
  }

  private void report(String key, Runner runner, long now, long silence) {
    String run = runner.run;
    WatchedRunner watched = runner.watched;
    if (!watched.reported()) {
      runner.watched = watched.asReported();
      runners().put(key, runner.watched);
    }
    runner.signalledAt = now;
    runner.signals++;
    metrics.missed(silence - watched.timeoutMs());
    LOG.infof(
        "run %s epoch %d: no heartbeat of runner %s for %d ms",
        run, watched.epoch(), watched.runner(), silence);
    signals.add(
        new RunnerSignal.HeartbeatsMissed(
            run, watched.epoch(), watched.runner(), silence, watched.timeoutMs()));
  }

  private ProcessorContext<String, Object> context() {
    return Objects.requireNonNull(context, "init was not called");
  }

  private KeyValueStore<String, WatchedRunner> runners() {
    return Objects.requireNonNull(runners, "init was not called");
  }
}
