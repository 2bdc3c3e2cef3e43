/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.lease.ReplicaLeaseVerifier;
import dev.baton.orchestrator.notification.NotificationWriter;
import dev.baton.orchestrator.problem.PostgresErrorClassifier;
import dev.baton.orchestrator.queue.WorkflowCapacityFreedEvent;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.lease.LeaseVerdict;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Folds records of the trace into the run table. Advances the positions in the same transaction by
 * compare-and-set, so that every record is folded exactly once even while two consumers consider a
 * partition theirs. Not for concurrent calls.
 */
@ApplicationScoped
class TraceProjection {
  private static final Logger LOG = Logger.getLogger(TraceProjection.class);
  private static final int KEPT_HEADS = 10_000;

  private final Pool pool;
  private final boolean leaseRequired;
  private final Counter strangers;
  private final Counter malformed;
  private final Counter folded;
  private final Counter skipped;
  private final Counter gaps;
  private final Counter fenced;
  private final RunMetrics runMetrics;
  private final PartitionRewinder rewinds;
  private final ReplicaLeaseVerifier leases;
  private final NotificationWriter notifications;
  private final Event<WorkflowCapacityFreedEvent> places;
  private final Map<Integer, Long> positions = new ConcurrentHashMap<>();
  // Ends of the log for partitions whose stored position may be after them; until checked.
  private final Map<Integer, Long> ends = new ConcurrentHashMap<>();
  private final Object moved = new Object();
  private final Map<String, RunHead> heads =
      Collections.synchronizedMap(
          new LinkedHashMap<>(1024, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, RunHead> eldest) {
              return size() > KEPT_HEADS;
            }
          });

  TraceProjection(
      Pool pool,
      PartitionRewinder rewinds,
      ReplicaLeaseVerifier leases,
      NotificationWriter notifications,
      OrchestratorConfig config,
      Event<WorkflowCapacityFreedEvent> places,
      RunMetrics runMetrics,
      MeterRegistry metrics) {
    this.runMetrics = runMetrics;
    this.places = places;
    this.rewinds = rewinds;
    this.leases = leases;
    this.notifications = notifications;
    this.pool = pool;
    this.leaseRequired = config.lease().required();
    this.strangers =
        Counter.builder("baton.projection.strangers")
            .description("events of runs that are not in this installation")
            .register(metrics);
    this.malformed =
        Counter.builder("baton.projection.malformed")
            .description("invalid trace records; the store moves them to the dead letters")
            .register(metrics);
    this.folded =
        Counter.builder("baton.projection.events")
            .description("events folded into the run list")
            .register(metrics);
    this.skipped =
        Counter.builder("baton.projection.skipped")
            .description("events that Postgres or the fold refuses permanently")
            .register(metrics);
    this.fenced =
        Counter.builder("baton.projection.fenced")
            .description(
                "ignored events: of runners that no longer held their run, and of ended runs")
            .register(metrics);
    this.gaps =
        Counter.builder("baton.projection.gaps")
            .description("runs with a missing event in their trace")
            .register(metrics);
  }

  /** Reads the next offset of each partition that has one. */
  Uni<Map<Integer, Long>> stored(Set<Integer> partitions) {
    return pool.preparedQuery(
            "SELECT partition, next_offset FROM orchestrator.projection_position WHERE partition ="
                + " ANY($1)")
        .execute(Tuple.of(partitions.toArray(Integer[]::new)))
        .map(
            rows -> {
              Map<Integer, Long> found = new HashMap<>();
              rows.forEach(
                  row -> found.put(row.getInteger("partition"), row.getLong("next_offset")));
              return found;
            });
  }

  /**
   * Waits until this consumer itself has committed everything before these offsets, by partition.
   * Returns false after the timeout.
   */
  boolean awaitReached(Map<Integer, Long> ends, Duration most) throws InterruptedException {
    long until = System.nanoTime() + most.toNanos();
    synchronized (moved) {
      while (!hasReached(positions, ends)) {
        long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        if (left <= 0) {
          return false;
        }
        moved.wait(left);
      }
      return true;
    }
  }

  /** Whether each partition's position is at or after its offset. */
  static boolean hasReached(Map<Integer, Long> positions, Map<Integer, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  private void moveTo(Map<Integer, Long> to) {
    synchronized (moved) {
      positions.putAll(to);
      moved.notifyAll();
    }
  }

  /** Clears the cached positions and heads, which may have changed elsewhere. */
  void forget() {
    positions.clear();
    heads.clear();
  }

  /**
   * Sets the end of the log of a partition that is read from its beginning. If the view's position
   * is after this end, the view is of another log and is reset together with the partition's next
   * records, even if Postgres is unavailable until then. The fold ignores events that it has folded
   * before.
   */
  void endedAt(int partition, long end) {
    ends.put(partition, end);
  }

  /** Clears the end of a partition that was revoked or assigned again. */
  void forgetEnd(int partition) {
    ends.remove(partition);
  }

  /**
   * Folds and writes records. After a failure nothing was written, and the call can be repeated.
   *
   * @return fails with {@link PartitionRewinder.ViewBehindException} if records before these are
   *     missing, and with a failure that {@link #isFinal} if one of them can never be written
   */
  Uni<Void> project(List<ConsumerRecord<String, byte[]>> records) {
    return Uni.createFrom()
        .deferred(() -> withPositions(records))
        .chain(() -> leases.learn(tokens(records)))
        .chain(() -> heads(records))
        .chain(known -> fold(records, known))
        .onFailure()
        .invoke(failure -> forget());
  }

  /** Whether a retry cannot succeed, because a record is invalid. */
  static boolean isFinal(Throwable failure) {
    return failure instanceof UnfoldableRecordException || PostgresErrorClassifier.isFinal(failure);
  }

  private static final class UnfoldableRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnfoldableRecordException(RuntimeException cause) {
      super(cause.toString(), cause);
    }
  }

  /** Advances the position past a record that can never be written. */
  Uni<Void> skip(ConsumerRecord<String, byte[]> record, Throwable why) {
    return Uni.createFrom()
        .deferred(() -> withPositions(List.of(record)))
        .chain(
            () -> {
              if (!isNew(record)) {
                return Uni.createFrom().voidItem();
              }
              Map<Integer, Long> to = Map.of(record.partition(), record.offset() + 1);
              Map<Integer, Long> from = Map.copyOf(positions);
              return pool.withTransaction(tx -> RunViewWriter.move(tx, from, to))
                  .invoke(
                      () -> {
                        moveTo(to);
                        skipped.increment();
                        LOG.errorf(
                            "partition %d: the view skips the record at offset %d, which cannot be"
                                + " written: %s",
                            record.partition(), record.offset(), why);
                      });
            })
        .onFailure()
        .invoke(failure -> forget());
  }

  private Uni<Void> withPositions(List<ConsumerRecord<String, byte[]>> records) {
    Set<Integer> named = new TreeSet<>();
    records.forEach(record -> named.add(record.partition()));
    Map<Integer, Long> ended = new TreeMap<>(ends);
    ended.keySet().retainAll(named);
    return ended.isEmpty()
        ? readPositions(records, named)
        : startOver(ended).chain(() -> readPositions(records, named));
  }

  private Uni<Void> startOver(Map<Integer, Long> ended) {
    return pool.preparedQuery(
            """
            UPDATE orchestrator.projection_position p SET next_offset = 0
            FROM unnest($1::int[], $2::bigint[]) AS log (partition, ends)
            WHERE p.partition = log.partition AND p.next_offset > log.ends RETURNING p.partition\
            """)
        .execute(
            Tuple.of(ended.keySet().toArray(Integer[]::new), ended.values().toArray(Long[]::new)))
        .invoke(
            rows -> {
              for (Row row : rows) {
                int partition = row.getInteger("partition");
                positions.remove(partition);
                LOG.errorf(
                    "partition %d: the view's position was after offset %d, where the log ends; the"
                        + " log has lost records or is another one: reading it from its beginning",
                    partition, ended.get(partition));
              }
              ended.forEach(ends::remove);
            })
        .replaceWithVoid();
  }

  private Uni<Void> readPositions(
      List<ConsumerRecord<String, byte[]>> records, Set<Integer> named) {
    Set<Integer> unknown = new TreeSet<>(named);
    unknown.removeAll(positions.keySet());
    if (unknown.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return pool.preparedQuery(
            """
            INSERT INTO orchestrator.projection_position (partition, next_offset)
            SELECT unnest($1::int[]), 0 ON CONFLICT (partition) DO NOTHING\
            """)
        .execute(Tuple.of(unknown.toArray(Integer[]::new)))
        .chain(() -> stored(unknown))
        .invoke(
            stored -> {
              refuseGaps(records, stored);
              moveTo(stored);
            })
        .replaceWithVoid();
  }

  /** Fails if records are missing between the stored position and the batch. */
  private void refuseGaps(List<ConsumerRecord<String, byte[]>> records, Map<Integer, Long> stored) {
    Map<Integer, Long> firsts = new HashMap<>();
    records.forEach(record -> firsts.merge(record.partition(), record.offset(), Math::min));
    Map<Integer, Long> behind = new HashMap<>();
    stored.forEach(
        (partition, next) -> {
          long first = firsts.getOrDefault(partition, 0L);
          if (first > next && !rewinds.isKnownGap(partition, next, first)) {
            behind.put(partition, next);
          }
        });
    if (!behind.isEmpty()) {
      throw new PartitionRewinder.ViewBehindException(behind);
    }
  }

  private Set<String> tokens(List<ConsumerRecord<String, byte[]>> records) {
    Set<String> tokens = new HashSet<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      String token = isNew(record) ? TraceCodec.lease(record.headers()) : null;
      if (token != null) {
        tokens.add(token);
      }
    }
    return tokens;
  }

  /** Returns the heads for the batch, independently of later evictions from the cache. */
  private Uni<Map<String, RunHead>> heads(List<ConsumerRecord<String, byte[]>> records) {
    Map<String, RunHead> known = new HashMap<>();
    Set<String> unknown = new TreeSet<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      String run = record.key();
      if (run != null && isNew(record) && RunId.isValid(run) && !known.containsKey(run)) {
        RunHead head = heads.get(run);
        if (head == null) {
          unknown.add(run);
        } else {
          known.put(run, head);
        }
      }
    }
    if (unknown.isEmpty()) {
      return Uni.createFrom().item(known);
    }
    return pool.preparedQuery("SELECT id, head FROM orchestrator.run WHERE id = ANY($1)")
        .execute(Tuple.of(unknown.toArray(String[]::new)))
        .map(
            rows -> {
              for (Row row : rows) {
                known.put(row.getString("id"), head(row.getString("head")));
              }
              return known;
            });
  }

  private static RunHead head(@Nullable String json) {
    return json == null
        ? RunHead.NONE
        : Json.read(json.getBytes(StandardCharsets.UTF_8), RunHead.class);
  }

  private boolean isNew(ConsumerRecord<String, byte[]> record) {
    return record.offset() >= positions.getOrDefault(record.partition(), 0L);
  }

  private Uni<Void> fold(List<ConsumerRecord<String, byte[]>> records, Map<String, RunHead> known) {
    Map<Integer, Long> to = new HashMap<>();
    Map<String, RunChange> changes = new LinkedHashMap<>();
    List<ObjectNode> born = new ArrayList<>();
    ArrayNode told = Json.mapper().createArrayNode();
    for (ConsumerRecord<String, byte[]> record : records) {
      if (isNew(record)) {
        to.merge(record.partition(), record.offset() + 1, Math::max);
        fold(record, known, new Batch(changes, born, told));
      }
    }
    if (to.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    to.replaceAll(rewinds::over);
    Map<Integer, Long> from = Map.copyOf(positions);
    return pool.withTransaction(tx -> write(tx, from, to, changes, born, told))
        .invoke(
            () -> {
              moveTo(to);
              changes.values().forEach(this::keep);
              changes.values().forEach(runMetrics::count);
              changes.values().forEach(change -> fenced.increment(change.newlyFenced()));
              if (changes.values().stream().anyMatch(RunChange::freedItsPlace)) {
                places.fire(new WorkflowCapacityFreedEvent());
              }
            });
  }

  private void keep(RunChange change) {
    if (change.newGap() != null) {
      gaps.increment();
      LOG.errorf("run %s: its trace is incomplete: %s", change.run(), change.newGap());
    }
    if (change.head().isEnded()) {
      heads.remove(change.run()); // Few events follow the end.
    } else {
      heads.put(change.run(), change.head());
    }
  }

  private Uni<Void> write(
      SqlConnection tx,
      Map<Integer, Long> from,
      Map<Integer, Long> to,
      Map<String, RunChange> changes,
      List<ObjectNode> born,
      ArrayNode told) {
    Uni<Void> written =
        RunViewWriter.move(tx, from, to)
            .chain(() -> RunViewWriter.write(tx, changes.values(), born));
    return told.isEmpty()
        ? written
        : written.chain(
            () ->
                notifications.write(tx, Objects.requireNonNull(PostgresValueSanitizer.json(told))));
  }

  /** Collects the rows to write for a batch. */
  private record Batch(Map<String, RunChange> changes, List<ObjectNode> born, ArrayNode told) {}

  private void fold(
      ConsumerRecord<String, byte[]> record, Map<String, RunHead> known, Batch batch) {
    try {
      switch (TraceCodec.decode(record.key(), record.headers(), record.value())) {
        case TraceCodec.Decoded.Malformed bad -> malformed.increment();
        case TraceCodec.Decoded.Unknown later -> folded.increment();
        case TraceCodec.Decoded.Known event -> {
          if (isVouchedFor(event)) {
            fold(
                event.record(),
                Instant.ofEpochMilli(record.timestamp()),
                TraceCodec.isRestored(record.headers()),
                known,
                batch);
          }
        }
      }
    } catch (RuntimeException e) {
      // A retry would fail in the same way and block the records after it.
      throw new UnfoldableRecordException(e);
    }
  }

  /** Accepts control events, which come from services, and runner events with a valid lease. */
  private boolean isVouchedFor(TraceCodec.Decoded.Known event) {
    EventId id = event.record().id();
    if (!id.lane().isControl()
        && leases.check(event.lease(), id.run(), id.lane().epoch())
            instanceof LeaseVerdict.Refused refusal) {
      leases.refused("event " + id, id.run(), refusal);
      return false;
    }
    return true;
  }

  private void fold(
      TraceRecord record,
      Instant appended,
      boolean restored,
      Map<String, RunHead> known,
      Batch batch) {
    folded.increment();
    RunChange change = batch.changes().get(record.run());
    if (change == null) {
      RunHead head = known.get(record.run());
      change = new RunChange(record.run(), head == null ? RunHead.NONE : head);
      if (head == null) {
        ObjectNode row = leaseRequired ? null : foreign(record, restored);
        if (row == null) {
          strangers.increment();
          return;
        }
        batch.born().add(row);
      }
      batch.changes().put(record.run(), change);
    }
    if (change.apply(record, restored ? null : appended) == RunHead.Verdict.ACCEPTED && !restored) {
      notifications.of(record).ifPresent(batch.told()::add);
    }
  }

  /**
   * Returns the row of a run that a foreign program creates or that is restored from an archive;
   * null for events of other unknown runs.
   */
  private static @Nullable ObjectNode foreign(TraceRecord record, boolean restored) {
    return record.event() instanceof TraceEvent.RunCreated created
            && (restored || created.kind().equals("external"))
        ? ForeignRunRowBuilder.row(record, created)
        : null;
  }
}
