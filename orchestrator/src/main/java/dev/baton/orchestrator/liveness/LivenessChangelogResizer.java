/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicPartitionReader;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Gives the changelog of liveness as many partitions as the heartbeats have. Kafka Streams refuses
 * to run with fewer or more: its assignor throws {@code StreamsException}, and the stream thread
 * ends. Thread-safe and idempotent; each replica calls it.
 */
@ApplicationScoped
class LivenessChangelogResizer {
  private static final Logger LOG = Logger.getLogger(LivenessChangelogResizer.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Admin admin;
  private final String changelog;
  private volatile int fitted;

  LivenessChangelogResizer(
      Admin admin,
      @ConfigProperty(name = "quarkus.kafka-streams.application-id") String application) {
    this.admin = admin;
    this.changelog = application + "-" + HeartbeatTimeoutProcessor.STORE + "-changelog";
  }

  /** Fits the changelog to the heartbeats. Blocks for at most 6 s; a failure is only logged. */
  void fit() throws InterruptedException {
    try {
      fitted = 0;
      fit(partitions(TopicName.HEARTBEATS));
    } catch (ExecutionException | TimeoutException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        LOG.warnf("liveness: cannot compare the partitions of %s, retrying: %s", changelog, e);
      }
    }
  }

  /**
   * Fits the changelog. Blocks for at most 4 s; costs nothing where it is known to fit.
   *
   * @param heartbeats the number of partitions of the heartbeats
   */
  void fit(int heartbeats) throws InterruptedException, ExecutionException, TimeoutException {
    if (heartbeats <= fitted) {
      return;
    }
    int present;
    try {
      present = partitions(changelog);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        // Kafka Streams creates it.
        return;
      }
      throw e;
    }
    if (present < heartbeats) {
      grow(heartbeats);
      LOG.infof(
          "liveness: %s has grown from %d to %d partitions, like %s",
          changelog, present, heartbeats, TopicName.HEARTBEATS);
    }
    fitted = heartbeats;
  }

  private void grow(int partitions)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      admin
          .createPartitions(Map.of(changelog, NewPartitions.increaseTo(partitions)))
          .all()
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof InvalidPartitionsException)) {
        throw e;
      }
      // Another replica was faster.
    }
  }

  private int partitions(String topic)
      throws InterruptedException, ExecutionException, TimeoutException {
    return TopicPartitionReader.read(admin, topic, PATIENCE).size();
  }
}
