/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.Signal;
import dev.baton.protocol.topic.JsonEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.KeyValue;
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
 *   silence over the timeout        signal heartbeats_missed, once per epoch
 *   reported and still silent       forgotten after an hour
 * </pre>
 */
final class HeartbeatWatch implements Processor<String, byte[], String, Signal> {
  static final String STORE = "runners";
  static final Duration TICK = Duration.ofMillis(100);

  private static final Logger LOG = Logger.getLogger(HeartbeatWatch.class);
  private static final long MAX_TICK_GAP_MILLIS = 2_000;
  private static final long NEVER = -1;
  private static final long FORGET_MILLIS = Duration.ofHours(1).toMillis();

  private final Contact contact;
  private final LivenessMetrics metrics;
  private final Map<String, Long> heardAt = new HashMap<>();
  private @Nullable ProcessorContext<String, Signal> context;
  private @Nullable KeyValueStore<String, Watched> runners;
  private int partition;
  private long nextOffset;
  private long awakeSince;
  private long lastTick;

  HeartbeatWatch(Contact contact, LivenessMetrics metrics) {
    this.contact = contact;
    this.metrics = metrics;
  }

  @Override
  public void init(ProcessorContext<String, Signal> newContext) {
    context = newContext;
    runners = newContext.getStateStore(STORE);
    partition = newContext.taskId().partition();
    // Before anything is due the clock of the context may not run yet: the first tick sets it.
    awakeSince = 0;
    lastTick = NEVER;
    newContext.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, this::tick);
  }

  @Override
  public void process(Record<String, byte[]> record) {
    nextOffset = context().recordMetadata().map(RecordMetadata::offset).orElse(nextOffset - 1) + 1;
    Heartbeat heartbeat = parse(record.headers(), record.value());
    if (heartbeat == null || !heartbeat.run().equals(record.key())) {
      metrics.malformed();
      return;
    }
    metrics.heartbeat();
    accept(heartbeat, context().currentSystemTimeMs());
  }

  private static @Nullable Heartbeat parse(Headers headers, byte @Nullable [] value) {
    try {
      return value == null ? null : JsonEvents.heartbeat(headers, value);
    } catch (IllegalArgumentException notOne) {
      LOG.debugf("skipped: %s", notOne.getMessage());
      return null;
    }
  }

  private void accept(Heartbeat heartbeat, long now) {
    String run = heartbeat.run();
    Watched known = runners().get(run);
    if (known != null && known.epoch() > heartbeat.epoch()) {
      return;
    }
    if (heartbeat.state().equals(Heartbeat.ENDED)) {
      if (known != null) {
        runners().delete(run);
      }
      heardAt.remove(run);
      return;
    }
    heardAt.put(run, now);
    if (known == null || !known.isSameAs(heartbeat)) {
      Watched fresh = Watched.of(heartbeat);
      boolean sameEpoch = known != null && known.epoch() == heartbeat.epoch();
      runners().put(run, sameEpoch && known.reported() ? fresh.asReported() : fresh);
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
    List<KeyValue<String, Watched>> silent = new ArrayList<>();
    List<String> forgotten = new ArrayList<>();
    int watched = 0;
    try (KeyValueIterator<String, Watched> all = runners().all()) {
      while (all.hasNext()) {
        KeyValue<String, Watched> entry = all.next();
        watched++;
        long silence = now - Math.max(hearingSince, heardAt.getOrDefault(entry.key, 0L));
        if (entry.value.reported()) {
          if (silence > FORGET_MILLIS) {
            forgotten.add(entry.key);
          }
        } else if (silence > entry.value.timeoutMs()) {
          silent.add(entry);
        }
      }
    }
    metrics.watched(partition, watched);
    forgotten.forEach(
        run -> {
          runners().delete(run);
          heardAt.remove(run);
        });
    if (!silent.isEmpty() && hasReadAll()) {
      silent.forEach(entry -> report(entry.key, entry.value, now, hearingSince));
    }
  }

  private boolean hasReadAll() {
    OptionalLong end = contact.end(partition);
    return end.isPresent() && Math.max(nextOffset, contact.committed(partition)) >= end.getAsLong();
  }

  private void report(String run, Watched watched, long now, long hearingSince) {
    long silence = now - Math.max(hearingSince, heardAt.getOrDefault(run, 0L));
    runners().put(run, watched.asReported());
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
                now));
  }

  private ProcessorContext<String, Signal> context() {
    return Objects.requireNonNull(context, "init comes first");
  }

  private KeyValueStore<String, Watched> runners() {
    return Objects.requireNonNull(runners, "init comes first");
  }
}
