/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.orchestrator.periodic.Periodic;
import dev.baton.protocol.topic.Topics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** How many records wait to be read, for all replicas together; looked at every five seconds. */
@ApplicationScoped
class LagMetrics {
  private static final Logger LOG = Logger.getLogger(LagMetrics.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration ASK = Duration.ofSeconds(5);

  private final Admin admin;
  private final TraceProjection projection;
  private final String signalReaders;
  private volatile double trace = Double.NaN;
  private volatile double signals = Double.NaN;
  private final Periodic looking =
      new Periodic("lag-metrics", EVERY, "how far the readers are is not known", this::look);

  LagMetrics(
      Admin admin,
      TraceProjection projection,
      @ConfigProperty(name = "mp.messaging.incoming.signals.group.id") String signalReaders,
      MeterRegistry metrics) {
    this.admin = admin;
    this.projection = projection;
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
      Map<Integer, Long> ends = ends(Topics.TRACE);
      trace = behind(ends, projection.stored(ends.keySet()).await().atMost(ASK));
      signals = behind(ends(Topics.SIGNALS), committed());
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.debugf("how far the readers are is not known: %s", e);
      trace = Double.NaN;
      signals = Double.NaN;
    }
  }

  /** A partition of which nothing was read counts from its beginning on. */
  private static double behind(Map<Integer, Long> ends, Map<Integer, Long> read) {
    return ends.entrySet().stream()
        .mapToLong(end -> Math.max(0, end.getValue() - read.getOrDefault(end.getKey(), 0L)))
        .sum();
  }

  private Map<Integer, Long> ends(String topic)
      throws InterruptedException, ExecutionException, TimeoutException {
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    Objects.requireNonNull(
            admin
                .describeTopics(Set.of(topic))
                .allTopicNames()
                .get(ASK.toMillis(), TimeUnit.MILLISECONDS)
                .get(topic))
        .partitions()
        .forEach(p -> request.put(new TopicPartition(topic, p.partition()), OffsetSpec.latest()));
    Map<Integer, Long> ends = new HashMap<>();
    admin
        .listOffsets(request)
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
