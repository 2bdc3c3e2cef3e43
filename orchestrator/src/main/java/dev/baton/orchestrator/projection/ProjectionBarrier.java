/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.TopicName;
import io.smallrye.common.annotation.Identifier;
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
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jboss.logging.Logger;

/**
 * Waits until the projection has seen every record that is on the log, and committed, at the time
 * of the call.
 */
@ApplicationScoped
public class ProjectionBarrier {
  private static final Logger LOG = Logger.getLogger(ProjectionBarrier.class);
  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Duration ASK = Duration.ofSeconds(2);
  private static final Duration STANDS = Duration.ofMillis(200);
  private static final Duration SKIP = Duration.ofSeconds(1);

  private final Admin admin;
  private final TraceProjection projection;
  private final CommittedRecordsReader records;

  ProjectionBarrier(
      Admin admin,
      TraceProjection projection,
      @Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.projection = projection;
    this.admin = admin;
    this.records = new CommittedRecordsReader(kafka);
  }

  /**
   * Blocks. False when the patience ran out, which is logged: the caller goes on with what it has.
   */
  public boolean await(Collection<String> runs, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      Map<Integer, Long> ends = ends(runs, patience);
      PositionWatcher standing = new PositionWatcher(ends);
      // Another replica may have the partition, and only the database tells how far that is.
      while (!projection.awaitReached(ends, LOOK) && !standing.hasReached()) {
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
            .describeTopics(Set.of(TopicName.TRACE))
            .allTopicNames()
            .get(millis, TimeUnit.MILLISECONDS);
    int partitions = Objects.requireNonNull(topics.get(TopicName.TRACE)).partitions().size();
    Set<Integer> wanted = new TreeSet<>();
    runs.forEach(run -> wanted.add(partition(run, partitions)));
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    wanted.forEach(p -> request.put(new TopicPartition(TopicName.TRACE, p), OffsetSpec.latest()));
    Map<Integer, Long> ends = new HashMap<>();
    admin
        .listOffsets(request, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
        .all()
        .get(millis, TimeUnit.MILLISECONDS)
        .forEach((partition, offset) -> ends.put(partition.partition(), offset.offset()));
    return ends;
  }

  /** As every Kafka producer chooses it for a keyed record. */
  public static int partition(String run, int partitions) {
    return Utils.toPositive(Utils.murmur2(run.getBytes(StandardCharsets.UTF_8))) % partitions;
  }

  /** Where the view stands, seen again and again while it has not reached the ends. */
  private final class PositionWatcher {
    private final Map<Integer, Long> ends;
    private Map<Integer, Long> stored = Map.of();
    private long since = System.nanoTime();

    PositionWatcher(Map<Integer, Long> ends) {
      this.ends = ends;
    }

    /** Postgres that is away has not come so far. */
    boolean hasReached() {
      try {
        Map<Integer, Long> now = projection.stored(ends.keySet()).await().atMost(ASK);
        if (TraceProjection.hasReached(now, ends)) {
          return true;
        }
        if (!now.equals(stored)) {
          stored = now;
          since = System.nanoTime();
          return false;
        }
        return System.nanoTime() - since > STANDS.toNanos() && isAtTheLastRecord();
      } catch (RuntimeException e) {
        LOG.debugf("the projection's positions cannot be read: %s", e);
        return false;
      }
    }

    /** Behind the last record a log has markers of transactions, and what was aborted. */
    private boolean isAtTheLastRecord() {
      since = System.nanoTime();
      Map<Integer, Long> from = new HashMap<>();
      ends.keySet().forEach(partition -> from.put(partition, stored.getOrDefault(partition, 0L)));
      return TraceProjection.hasReached(records.skip(TopicName.TRACE, from, ends, SKIP), ends);
    }
  }
}
