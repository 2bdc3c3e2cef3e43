/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.topic.TopicName;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler;
import org.apache.kafka.streams.state.Stores;
import org.jboss.logging.Logger;

/**
 * Builds the topology that reads heartbeats and writes signals. A run's heartbeats are in one
 * partition and its state is in the same task, so partitions distribute the work over replicas. The
 * state is in memory; a changelog restores it. The heartbeats may grow (ADR 0053).
 */
@ApplicationScoped
class LivenessTopology {
  private static final Logger LOG = Logger.getLogger(LivenessTopology.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(6_400);

  @Produces
  @Singleton
  Topology topology(
      BrokerConnectivity contact,
      MovedRunnerLookup elsewhere,
      HeartbeatAuthenticator leases,
      LivenessMetrics metrics,
      LivenessChangelogResizer changelog,
      LeaseSigner signer,
      OrchestratorConfig config) {
    fit(changelog);
    return build(
        contact,
        elsewhere,
        leases,
        metrics,
        signer::sign,
        URI.create("/orchestrator/" + config.instanceId() + "/liveness"));
  }

  /**
   * Replaces the stream thread after an unexpected failure, so that liveness continues; repeated
   * failures increase the delay. One cause is a changelog that does not fit the heartbeats.
   */
  @Produces
  @Singleton
  StreamsUncaughtExceptionHandler replaceThread(
      LivenessMetrics metrics, LivenessChangelogResizer changelog, StreamThreadEvictor members) {
    AtomicInteger failures = new AtomicInteger();
    return failure -> {
      metrics.failed();
      LOG.error("liveness: stream thread failed, replacing it", failure);
      fit(changelog);
      members.evict(Thread.currentThread());
      pause(Backoff.delay(FIRST_PAUSE, LONGEST_PAUSE, failures.incrementAndGet()));
      return StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse.REPLACE_THREAD;
    };
  }

  private static void fit(LivenessChangelogResizer changelog) {
    try {
      changelog.fit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static Topology build(
      BrokerConnectivity contact,
      MovedRunnerLookup elsewhere,
      HeartbeatAuthenticator leases,
      LivenessMetrics metrics,
      Consumer<List<ProducerRecord<String, byte[]>>> signer,
      URI source) {
    return new Topology()
        .addSource(
            "heartbeats",
            new StringDeserializer(),
            new ByteArrayDeserializer(),
            TopicName.HEARTBEATS)
        .addProcessor(
            "watch",
            () -> new HeartbeatTimeoutProcessor(contact, elsewhere, leases, metrics),
            "heartbeats")
        .addStateStore(
            Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(HeartbeatTimeoutProcessor.STORE),
                Serdes.String(),
                WatchedRunner.serde()),
            "watch")
        .addProcessor(
            HeartbeatTimeoutProcessor.SIGNALS,
            () -> new SignalCloudEventProcessor(source, signer),
            "watch")
        .addSink(
            "signals",
            TopicName.SIGNALS,
            new StringSerializer(),
            new ByteArraySerializer(),
            HeartbeatTimeoutProcessor.SIGNALS)
        .addSink(
            HeartbeatTimeoutProcessor.DEAD_LETTERS,
            TopicName.deadLetters(TopicName.HEARTBEATS),
            new StringSerializer(),
            new ByteArraySerializer(),
            "watch");
  }
}
