/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicPartitionReader;
import dev.baton.sink.TraceSink;
import io.smallrye.common.annotation.Identifier;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;

/**
 * Waits until the projection has folded every record that is committed on the log at the time of
 * the call.
 */
@ApplicationScoped
public class ProjectionBarrier {
  private static final Logger LOG = Logger.getLogger(ProjectionBarrier.class);
  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Duration ASK = Duration.ofSeconds(2);
  private static final Duration STANDS = Duration.ofMillis(200);
  private static final Duration SKIP = Duration.ofSeconds(1);

  private final Admin admin;
  private final Pool pool;
  private final ProjectionTraceConsumer consumer;
  private final ProjectionPositionRepository positions;
  private final CommittedRecordsReader records;

  ProjectionBarrier(
      Admin admin,
      Pool pool,
      @Identifier("trace-positions") ProjectionTraceConsumer consumer,
      ProjectionPositionRepository positions,
      @Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.consumer = consumer;
    this.positions = positions;
    this.admin = admin;
    this.pool = pool;
    this.records = new CommittedRecordsReader(kafka);
  }

  /**
   * Blocks. Returns false, and logs it, after the timeout or if Kafka is unavailable; the caller
   * then continues with the current view.
   */
  public boolean await(Collection<String> runs, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      Map<Integer, Long> ends = ends(runs, patience);
      PositionWatcher standing = new PositionWatcher(ends);
      // Another replica may have the partition; its position is only in the database.
      while (!consumer.awaitReached(ends, LOOK) && !standing.hasReached()) {
        if (System.nanoTime() > end) {
          LOG.warnf("projection: has not reached %s within %s", ends, patience);
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      LOG.warnf("projection: cannot read the end of the trace: %s", e);
      return false;
    }
  }

  private Map<Integer, Long> ends(Collection<String> runs, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    long millis = patience.toMillis();
    int partitions = TopicPartitionReader.read(admin, TopicName.TRACE, patience).size();
    Map<String, Integer> homes = homes(runs, patience);
    Set<Integer> wanted = new TreeSet<>();
    for (String run : runs) {
      Integer home = homes.get(run);
      wanted.add(home == null ? HomePartitioner.choose(run, partitions) : home);
    }
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

  private Map<String, Integer> homes(Collection<String> runs, Duration patience)
      throws TimeoutException {
    Map<String, Integer> homes = new HashMap<>();
    try {
      pool.preparedQuery(
              """
              SELECT id, home_partition FROM orchestrator.run
              WHERE id = ANY($1) AND home_partition IS NOT NULL""")
          .execute(Tuple.of(runs.toArray(String[]::new)))
          .await()
          .atMost(patience)
          .forEach(row -> homes.put(row.getString("id"), row.getInteger("home_partition")));
    } catch (RuntimeException e) {
      throw (TimeoutException)
          new TimeoutException("Postgres: the home partitions cannot be read").initCause(e);
    }
    return homes;
  }

  /** Polls the stored positions of the view until they reach the ends. */
  private final class PositionWatcher {
    private final Map<Integer, Long> ends;
    private Map<Integer, Long> stored = Map.of();
    private long since = System.nanoTime();

    PositionWatcher(Map<Integer, Long> ends) {
      this.ends = ends;
    }

    /** Returns false if Postgres is unavailable. */
    boolean hasReached() {
      try {
        Map<Integer, Long> now = positions.stored(ends.keySet()).await().atMost(ASK);
        if (TraceSink.hasReached(now, ends)) {
          return true;
        }
        if (!now.equals(stored)) {
          stored = now;
          since = System.nanoTime();
          return false;
        }
        return System.nanoTime() - since > STANDS.toNanos() && isAtTheLastRecord();
      } catch (RuntimeException e) {
        LOG.debugf("projection: cannot read its positions, retrying: %s", e);
        return false;
      }
    }

    /** Ignores transaction markers and aborted records after the last committed record. */
    private boolean isAtTheLastRecord() {
      since = System.nanoTime();
      Map<Integer, Long> from = new HashMap<>();
      ends.keySet().forEach(partition -> from.put(partition, stored.getOrDefault(partition, 0L)));
      return TraceSink.hasReached(records.skip(TopicName.TRACE, from, ends, SKIP), ends);
    }
  }
}
