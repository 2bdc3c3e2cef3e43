/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicPartitionReader;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;

/**
 * Counts the partitions of the trace topic, and so chooses the home partitions of new runs without
 * a call to the broker. Thread-safe.
 *
 * <p>A count that is behind a topic that has just grown only leaves the new partitions unused for a
 * moment; a topic never shrinks.
 */
@ApplicationScoped
public class TracePartitionCounter {
  private static final Duration EVERY = Duration.ofSeconds(30);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Admin admin;
  private final PeriodicTask counting =
      new PeriodicTask(
          "trace-partitions",
          EVERY,
          "trace topic: its partitions cannot be counted, retrying",
          this::count);
  private volatile int partitions;

  TracePartitionCounter(Admin admin) {
    this.admin = admin;
  }

  /** After the topics are created, and before a request is served. */
  void onStart(@Observes @Priority(11) StartupEvent event) throws InterruptedException {
    count();
    counting.start();
  }

  void onStop(@Observes ShutdownEvent event) {
    counting.stop();
  }

  private void count() throws InterruptedException {
    try {
      int now = TopicPartitionReader.read(admin, TopicName.TRACE, PATIENCE).size();
      partitions = Math.max(partitions, now);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "Kafka: cannot describe the topic %s within %d s"
              .formatted(TopicName.TRACE, PATIENCE.toSeconds()),
          e);
    }
  }

  /**
   * Whether the topic has this partition. Does not block; where it seems not to have it, the
   * partitions are counted again, for the next call.
   */
  boolean has(int partition) {
    if (partition < partitions) {
      return true;
    }
    counting.wake();
    return false;
  }

  /** Returns the number of partitions when they were last counted. */
  int partitions() {
    return partitions;
  }

  /** Chooses the home partition of a new run; see {@link HomePartitioner#choose}. */
  public int choose(String run) {
    return HomePartitioner.choose(run, partitions);
  }
}
