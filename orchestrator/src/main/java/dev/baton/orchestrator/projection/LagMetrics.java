/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicPartitionReader;
import dev.baton.server.PeriodicTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.annotation.Identifier;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Measures the committed records that are not read yet, for all replicas together, every five
 * seconds. If a position does not move before the end of the log, reads what is in between: a log
 * can end with transaction markers and aborted records, which do not count as lag.
 */
@ApplicationScoped
class LagMetrics {
  private static final Logger LOG = Logger.getLogger(LagMetrics.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration ASK = Duration.ofSeconds(5);
  private static final Duration SKIP = Duration.ofSeconds(2);

  private final Admin admin;
  private final ProjectionPositionRepository positions;
  private final String signalReaders;
  private final CommittedRecordsReader records;
  private final Map<String, Place> places = new HashMap<>();
  private volatile double trace = Double.NaN;
  private volatile double signals = Double.NaN;
  private final PeriodicTask looking =
      new PeriodicTask("lag-metrics", EVERY, "lag: cannot be measured, retrying", this::look);

  LagMetrics(
      Admin admin,
      ProjectionPositionRepository positions,
      @ConfigProperty(name = "mp.messaging.incoming.signals.group.id") String signalReaders,
      @Identifier("default-kafka-broker") Map<String, Object> kafka,
      MeterRegistry metrics) {
    this.records = new CommittedRecordsReader(kafka);
    this.admin = admin;
    this.positions = positions;
    this.signalReaders = signalReaders;
    Gauge.builder("baton.projection.lag", () -> trace)
        .description("records of the trace that the run list does not show yet")
        .baseUnit("records")
        .register(metrics);
    Gauge.builder("baton.signals.lag", () -> signals)
        .description("signals that no replica has committed")
        .baseUnit("records")
        .register(metrics);
  }

  void onStart(@Observes @Priority(4000) StartupEvent event) {
    looking.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    looking.stop();
  }

  private void look() throws InterruptedException {
    try {
      Map<Integer, Long> ends = ends(TopicName.TRACE);
      trace = behind(TopicName.TRACE, ends, positions.stored(ends.keySet()).await().atMost(ASK));
      signals = behind(TopicName.SIGNALS, ends(TopicName.SIGNALS), committed());
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.debugf("lag: cannot be measured, retrying: %s", e);
      trace = Double.NaN;
      signals = Double.NaN;
    }
  }

  /** The positions, ends and lag of a topic at one measurement. */
  private record Place(
      Map<Integer, Long> read, Map<Integer, Long> ends, double behind, boolean certain) {
    boolean is(Map<Integer, Long> readNow, Map<Integer, Long> endsNow) {
      return read.equals(readNow) && ends.equals(endsNow);
    }
  }

  /** Returns the lag. An unread partition counts from its beginning. */
  private double behind(String topic, Map<Integer, Long> ends, Map<Integer, Long> committed) {
    Map<Integer, Long> read = new HashMap<>();
    ends.keySet().forEach(p -> read.put(p, committed.getOrDefault(p, 0L)));
    Place before = places.get(topic);
    Place now;
    if (before == null || !before.is(read, ends)) {
      double behind = difference(ends, read);
      now = new Place(read, ends, behind, behind == 0);
    } else if (before.certain()) {
      now = before;
    } else {
      now = new Place(read, ends, difference(ends, records.skip(topic, read, ends, SKIP)), true);
    }
    places.put(topic, now);
    return now.behind();
  }

  private static double difference(Map<Integer, Long> ends, Map<Integer, Long> read) {
    return ends.entrySet().stream()
        .mapToLong(end -> Math.max(0, end.getValue() - read.getOrDefault(end.getKey(), 0L)))
        .sum();
  }

  private Map<Integer, Long> ends(String topic)
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    TopicPartitionReader.read(admin, topic, ASK)
        .forEach(partition -> request.put(partition, OffsetSpec.latest()));
    Map<Integer, Long> ends = new HashMap<>();
    admin
        .listOffsets(request, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
        .all()
        .get(ASK.toMillis(), TimeUnit.MILLISECONDS)
        .forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
    return ends;
  }

  private Map<Integer, Long> committed()
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<Integer, Long> committed = new HashMap<>();
    admin
        .listConsumerGroupOffsets(signalReaders)
        .partitionsToOffsetAndMetadata()
        .get(ASK.toMillis(), TimeUnit.MILLISECONDS)
        .forEach(
            (partition, offset) -> {
              if (offset != null) {
                committed.put(partition.partition(), offset.offset());
              }
            });
    return committed;
  }
}
