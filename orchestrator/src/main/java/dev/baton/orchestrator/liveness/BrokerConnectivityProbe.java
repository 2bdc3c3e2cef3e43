/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.orchestrator.topics.TopicSizeWatcher;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicPartitionReader;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Requests the start and end offsets of the heartbeats from the broker four times a second, and
 * once a second while no run is watched. A gap of more than 2 s between answers is an interruption:
 * runners may have been unable to send too, and get their full timeout again.
 */
@ApplicationScoped
class BrokerConnectivityProbe implements BrokerConnectivity {
  private static final Logger LOG = Logger.getLogger(BrokerConnectivityProbe.class);
  private static final Duration EVERY = Duration.ofMillis(250);
  private static final Duration EVERY_IDLE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final long MAX_GAP_MILLIS = 2_000;

  private record Answer(long asked, long at, Map<Integer, Long> ends, Map<Integer, Long> done) {}

  private final Admin admin;
  private final TopicSizeWatcher sizes;
  private final LivenessChangelogResizer changelog;
  private final LivenessMetrics metrics;
  private final String group;
  private volatile Answer last = new Answer(0, 0, Map.of(), Map.of());
  private volatile long unbrokenSince = System.currentTimeMillis();
  private final PeriodicTask asking =
      new PeriodicTask(
          "broker-contact", EVERY_IDLE, "broker: cannot request offsets, retrying", this::round);

  BrokerConnectivityProbe(
      Admin admin,
      TopicSizeWatcher sizes,
      LivenessChangelogResizer changelog,
      LivenessMetrics metrics,
      @ConfigProperty(name = "quarkus.kafka-streams.application-id") String group) {
    this.admin = admin;
    this.sizes = sizes;
    this.changelog = changelog;
    this.metrics = metrics;
    this.group = group;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    asking.start();
    asking.wake();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    asking.stop();
  }

  @Override
  public OptionalLong end(int partition) {
    Answer answer = last;
    Long end = answer.ends().get(partition);
    boolean stale = System.currentTimeMillis() - answer.at() > MAX_GAP_MILLIS;
    return stale || end == null ? OptionalLong.empty() : OptionalLong.of(end);
  }

  @Override
  public long asOf() {
    return last.asked();
  }

  @Override
  public long done(int partition) {
    return last.done().getOrDefault(partition, 0L);
  }

  @Override
  public long over(int partition, long read) {
    return ReadPositionInterceptor.over(partition, read);
  }

  @Override
  public long unbrokenSince() {
    // While an interruption lasts, no runner's timeout has begun.
    long now = System.currentTimeMillis();
    return now - last.at() > MAX_GAP_MILLIS ? now : unbrokenSince;
  }

  private void round() throws InterruptedException {
    boolean answered = false;
    try {
      ask();
      answered = true;
    } catch (ExecutionException | TimeoutException e) {
      LOG.debugf("broker: no answer: %s", e);
    } finally {
      if (!answered || metrics.watched() > 0) {
        asking.wakeIn(EVERY);
      }
    }
  }

  private Set<Integer> partitions()
      throws InterruptedException, ExecutionException, TimeoutException {
    Set<Integer> numbers = new HashSet<>();
    TopicPartitionReader.read(admin, TopicName.HEARTBEATS, PATIENCE)
        .forEach(partition -> numbers.add(partition.partition()));
    return Set.copyOf(numbers);
  }

  private void ask() throws InterruptedException, ExecutionException, TimeoutException {
    long asked = System.currentTimeMillis();
    // Each time, since the topic may grow: a partition without a known end is not judged, and a run
    // that is silent in one may have moved to a new one.
    Set<Integer> partitions = partitions();
    sizes.observe(TopicName.HEARTBEATS, partitions.size());
    changelog.fit(partitions.size());
    // Not the last stable offset: after an open transaction there may be heartbeats that cannot be
    // read yet, and their runners must not be declared lost.
    var latest = admin.listOffsets(each(partitions, OffsetSpec.latest())).all();
    var earliest = admin.listOffsets(each(partitions, OffsetSpec.earliest())).all();
    var groups = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata();
    Map<Integer, Long> ends = new HashMap<>();
    latest
        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
    Map<Integer, Long> done = new HashMap<>();
    earliest
        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .forEach((partition, begin) -> done.put(partition.partition(), begin.offset()));
    groups
        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            (partition, offset) -> {
              if (offset != null && partition.topic().equals(TopicName.HEARTBEATS)) {
                done.merge(partition.partition(), offset.offset(), Math::max);
              }
            });
    long now = System.currentTimeMillis();
    if (now - last.at() > MAX_GAP_MILLIS) {
      unbrokenSince = now;
    }
    last = new Answer(asked, now, Map.copyOf(ends), Map.copyOf(done));
  }

  private static Map<TopicPartition, OffsetSpec> each(Set<Integer> partitions, OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    partitions.forEach(p -> request.put(new TopicPartition(TopicName.HEARTBEATS, p), spec));
    return request;
  }
}
