/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.topic.Topics;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.net.URI;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/**
 * Heartbeats in, signals out. A run's heartbeats are in one partition and its state beside it, so
 * the work spreads over replicas by partitions. The state is in memory; a changelog restores it.
 */
@ApplicationScoped
class LivenessTopology {

  @Produces
  @Singleton
  Topology topology(Contact contact, LivenessMetrics metrics, OrchestratorConfig config) {
    return build(
        contact, metrics, URI.create("/orchestrator/" + config.instanceId() + "/liveness"));
  }

  static Topology build(Contact contact, LivenessMetrics metrics, URI source) {
    return new Topology()
        .addSource(
            "heartbeats", new StringDeserializer(), new ByteArrayDeserializer(), Topics.HEARTBEATS)
        .addProcessor("watch", () -> new HeartbeatWatch(contact, metrics), "heartbeats")
        .addStateStore(
            Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(HeartbeatWatch.STORE),
                Serdes.String(),
                Watched.serde()),
            "watch")
        .addProcessor("encode", () -> new SignalHeaders(source), "watch")
        .addSink(
            "signals", Topics.SIGNALS, new StringSerializer(), new ByteArraySerializer(), "encode");
  }
}
