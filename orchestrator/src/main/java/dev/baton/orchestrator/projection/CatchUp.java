/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.protocol.topic.Topics;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jboss.logging.Logger;

/** Waits until the projection has seen everything that is on the log at the time of the call. */
@ApplicationScoped
public class CatchUp {
  private static final Logger LOG = Logger.getLogger(CatchUp.class);
  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Duration ASK = Duration.ofSeconds(2);

  private final Admin admin;
  private final TraceProjection projection;

  CatchUp(Admin admin, TraceProjection projection) {
    this.projection = projection;
    this.admin = admin;
  }

  /**
   * Blocks. False when the patience ran out, which is logged: the caller goes on with what it has.
   */
  public boolean await(Collection<String> runs, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      Map<Integer, Long> ends = ends(runs, patience);
      // Another replica may have the partition, and only the database tells how far that is.
      while (!projection.awaitReached(ends, LOOK) && !hasReached(ends)) {
        if (System.nanoTime() > end) {
          LOG.warnf("the projection has not reached %s within %s", ends, patience);
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      LOG.warnf("the end of the trace could not be asked for: %s", e);
      return false;
    }
  }

  private Map<Integer, Long> ends(Collection<String> runs, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    long millis = patience.toMillis();
    Map<String, TopicDescription> topics =
        admin
            .describeTopics(Set.of(Topics.TRACE))
            .allTopicNames()
            .get(millis, TimeUnit.MILLISECONDS);
    int partitions = Objects.requireNonNull(topics.get(Topics.TRACE)).partitions().size();
    Set<Integer> wanted = new TreeSet<>();
    runs.forEach(run -> wanted.add(partition(run, partitions)));
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    wanted.forEach(p -> request.put(new TopicPartition(Topics.TRACE, p), OffsetSpec.latest()));
    Map<Integer, Long> ends = new HashMap<>();
    admin
        .listOffsets(request)
        .all()
        .get(millis, TimeUnit.MILLISECONDS)
        .forEach((partition, offset) -> ends.put(partition.partition(), offset.offset()));
    return ends;
  }

  /** As every Kafka producer chooses it for a keyed record. */
  public static int partition(String run, int partitions) {
    return Utils.toPositive(Utils.murmur2(run.getBytes(StandardCharsets.UTF_8))) % partitions;
  }

  /** Postgres that is away has not come so far. */
  private boolean hasReached(Map<Integer, Long> ends) {
    try {
      Map<Integer, Long> stored = projection.stored(ends.keySet()).await().atMost(ASK);
      return TraceProjection.hasReached(stored, ends);
    } catch (RuntimeException e) {
      LOG.debugf("the projection's positions cannot be read: %s", e);
      return false;
    }
  }
}
