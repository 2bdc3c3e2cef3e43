/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.Signal;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.JsonEvents;
import dev.baton.protocol.topic.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
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
 * Watches the runs of one partition. A runner is lost when nothing was heard for its timeout,
 * counted from the latest of: its last heartbeat, the start of this task, the end of a pause of
 * this process, and the moment since which the broker has answered without a break; and when all
 * that the partition holds has been read. So an outage of liveness itself, or of the broker,
 * condemns nobody.
 *
 * <pre>
 *   heartbeat of a newer epoch      watch it instead of the older one
 *   heartbeat of an older epoch     ignored
 *   heartbeat "ended"               watch no more
 *   silence over the timeout        signal heartbeats_missed; again, ever more rarely, while it lasts
 *   reported and still silent       forgotten after an hour
 *   no heartbeat at all             to the dead letters, with the reason
 * </pre>
 */
final class HeartbeatWatch implements Processor<String, byte[], String, Object> {
  static final String STORE = "runners";

  /** The children: of signals, and of records that are no heartbeats. */
  static final String SIGNALS = "encode";

  static final String DEAD_LETTERS = "dead-letters";
  static final Duration TICK = Duration.ofMillis(100);

  private static final Logger LOG = Logger.getLogger(HeartbeatWatch.class);
  private static final long MAX_TICK_GAP_MILLIS = 2_000;
  private static final long NEVER = -1;
  private static final long MAX_REPEAT_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final long FORGET_MILLIS = Duration.ofHours(1).toMillis();

  private final Contact contact;
  private final LivenessMetrics metrics;
  // What the store holds, read once: a tick looks at all of them.
  private final Map<String, Runner> known = new HashMap<>();
  private @Nullable ProcessorContext<String, Object> context;
  private @Nullable KeyValueStore<String, Watched> runners;
  private int partition;
  private long nextOffset;
  private long awakeSince;
  private long lastTick;

  /** What is only known since the start of this task. */
  private static final class Runner {
    Watched watched;
    long heardAt;
    long signalledAt;
    int signals;

    Runner(Watched watched) {
      this.watched = watched;
    }

    /** The first repetition comes after another timeout, later ones ever more rarely. */
    boolean isDue(long now) {
      long timeout = watched.timeoutMs();
      long pause = Math.max(timeout, Math.min(MAX_REPEAT_MILLIS, timeout << Math.min(signals, 10)));
      return signals == 0 || now - signalledAt > pause;
    }
  }

  HeartbeatWatch(Contact contact, LivenessMetrics metrics) {
    this.contact = contact;
    this.metrics = metrics;
  }

  @Override
  public void init(ProcessorContext<String, Object> newContext) {
    context = newContext;
    runners = newContext.getStateStore(STORE);
    partition = newContext.taskId().partition();
    try (KeyValueIterator<String, Watched> all = runners().all()) {
      all.forEachRemaining(entry -> known.put(entry.key, new Runner(entry.value)));
    }
    // Before anything is due the clock of the context may not run yet: the first tick sets it.
    awakeSince = 0;
    lastTick = NEVER;
    newContext.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, this::tick);
  }

  @Override
  public void process(Record<String, byte[]> record) {
    nextOffset = context().recordMetadata().map(RecordMetadata::offset).orElse(nextOffset - 1) + 1;
    Heartbeat heartbeat;
    try {
      heartbeat = JsonEvents.heartbeat(record.headers(), record.value());
      if (!heartbeat.run().equals(record.key())) {
        throw new IllegalArgumentException("its run is not the key");
      }
    } catch (IllegalArgumentException notOne) {
      putAside(record, Objects.requireNonNullElse(notOne.getMessage(), notOne.toString()));
      return;
    }
    metrics.heartbeat();
    accept(heartbeat, context().currentSystemTimeMs());
  }

  private void putAside(Record<String, byte[]> record, String reason) {
    metrics.malformed();
    LOG.warnf("partition %d, offset %d: no heartbeat: %s", partition, nextOffset - 1, reason);
    DeadLetter letter =
        DeadLetter.of(
                record.headers(),
                record.value(),
                reason,
                Topics.HEARTBEATS,
                partition,
                nextOffset - 1)
            .cut();
    // A record without a time would be refused by the sink.
    long time = Math.max(0, record.timestamp());
    context()
        .<@Nullable String, @Nullable Object>forward(
            new Record<>(record.key(), letter.value(), time, letter.headers()), DEAD_LETTERS);
  }

  private void accept(Heartbeat heartbeat, long now) {
    String run = heartbeat.run();
    Runner runner = known.get(run);
    Watched before = runner == null ? null : runner.watched;
    if (before != null && before.epoch() > heartbeat.epoch()) {
      return;
    }
    if (heartbeat.state().equals(Heartbeat.ENDED)) {
      forget(run);
      return;
    }
    if (runner == null || before == null || !before.isSameAs(heartbeat)) {
      Watched fresh = Watched.of(heartbeat);
      boolean sameEpoch = before != null && before.epoch() == heartbeat.epoch();
      Watched next = sameEpoch && before != null && before.reported() ? fresh.asReported() : fresh;
      if (runner == null || !sameEpoch) {
        runner = new Runner(next);
        known.put(run, runner);
      }
      runner.watched = next;
      runners().put(run, next);
    }
    runner.heardAt = now;
    runner.signals = 0;
  }

  private void forget(String run) {
    if (known.remove(run) != null) {
      runners().delete(run);
    }
  }

  private void tick(long now) {
    if (lastTick >= 0 && now - lastTick > MAX_TICK_GAP_MILLIS) {
      LOG.infof("liveness of partition %d was paused for %d ms", partition, now - lastTick);
      awakeSince = now;
    }
    if (lastTick == NEVER) {
      awakeSince = now;
    }
    lastTick = now;
    long hearingSince = Math.max(awakeSince, contact.unbrokenSince());
    List<String> silent = new ArrayList<>();
    List<String> forgotten = new ArrayList<>();
    known.forEach(
        (run, runner) -> {
          long silence = now - Math.max(hearingSince, runner.heardAt);
          if (runner.watched.reported() && silence > FORGET_MILLIS) {
            forgotten.add(run);
          } else if (silence > runner.watched.timeoutMs() && runner.isDue(now)) {
            silent.add(run);
          }
        });
    metrics.watched(partition, known.size());
    forgotten.forEach(this::forget);
    if (!silent.isEmpty() && hasReadAll()) {
      silent.forEach(run -> report(run, Objects.requireNonNull(known.get(run)), now, hearingSince));
    }
  }

  private boolean hasReadAll() {
    OptionalLong end = contact.end(partition);
    return end.isPresent() && Math.max(nextOffset, contact.committed(partition)) >= end.getAsLong();
  }

  private void report(String run, Runner runner, long now, long hearingSince) {
    Watched watched = runner.watched;
    long silence = now - Math.max(hearingSince, runner.heardAt);
    if (!watched.reported()) {
      runner.watched = watched.asReported();
      runners().put(run, runner.watched);
    }
    runner.signalledAt = now;
    runner.signals++;
    metrics.missed();
    LOG.infof(
        "run %s epoch %d: nothing heard of %s for %d ms",
        run, watched.epoch(), watched.runner(), silence);
    context()
        .forward(
            new Record<>(
                run,
                new Signal.HeartbeatsMissed(
                    run, watched.epoch(), watched.runner(), silence, watched.timeoutMs()),
                now),
            SIGNALS);
  }

  private ProcessorContext<String, Object> context() {
    return Objects.requireNonNull(context, "init comes first");
  }

  private KeyValueStore<String, Watched> runners() {
    return Objects.requireNonNull(runners, "init comes first");
  }
}
