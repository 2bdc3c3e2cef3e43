/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.signal.RunnerSignal;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jboss.logging.Logger;

/**
 * Stores the signals that could not be handled when they were read, until they are handled. Has at
 * most one row for each run and kind of signal: of two, that of the later epoch, since a run never
 * returns to an epoch. Non-blocking and thread-safe.
 */
@ApplicationScoped
class DeferredSignalRepository {
  private static final Logger LOG = Logger.getLogger(DeferredSignalRepository.class);

  /** Of the data of a signal. */
  static final int MAX_BYTES = 16 * 1024;

  private static final String EXITED = "runner_exited";
  private static final String LEFT = "runner_left";
  private static final String MISSED = "heartbeats_missed";

  /**
   * A stored signal.
   *
   * @param partition of the signals topic, with {@code offset} the record's position
   * @param attempts number of attempts that have begun, this one included
   */
  record Entry(
      long id,
      RunnerSignal signal,
      Instant publishedAt,
      int partition,
      long offset,
      int attempts) {}

  private final Pool pool;

  DeferredSignalRepository(Pool pool) {
    this.pool = pool;
  }

  /**
   * Stores a signal. Of two signals of the same run, kind and epoch, the first is kept, except that
   * a later {@code heartbeats_missed} replaces an earlier one: it may be about the time after the
   * runner has reconnected.
   *
   * @return fails with {@link IllegalArgumentException} when the signal is larger than 16 KiB
   */
  Uni<Void> store(RunnerSignal signal, ConsumerRecord<String, byte[]> record, Duration delay) {
    byte[] data = Json.bytes(signal);
    if (data.length > MAX_BYTES) {
      return Uni.createFrom()
          .failure(
              new IllegalArgumentException(
                  "signal of run %s: %d bytes; at most %d are allowed"
                      .formatted(signal.run(), data.length, MAX_BYTES)));
    }
    return pool.preparedQuery(
            """
            INSERT INTO orchestrator.deferred_signal AS d
              (run, kind, epoch, data, published_at, source_partition, source_offset, due_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8::bigint * interval '1 millisecond')
            ON CONFLICT (run, kind) DO UPDATE SET epoch = excluded.epoch, data = excluded.data,
              published_at = excluded.published_at, source_partition = excluded.source_partition,
              source_offset = excluded.source_offset
            WHERE excluded.epoch > d.epoch OR excluded.epoch = d.epoch AND d.kind = $9""")
        .execute(
            Tuple.from(
                Arrays.asList(
                    signal.run(),
                    kind(signal),
                    signal.epoch(),
                    new String(data, StandardCharsets.UTF_8),
                    Instant.ofEpochMilli(record.timestamp()).atOffset(ZoneOffset.UTC),
                    record.partition(),
                    record.offset(),
                    delay.toMillis(),
                    MISSED)))
        .replaceWithVoid();
  }

  /**
   * Claims due signals: the oldest of each run, those with the fewest attempts first. A claimed
   * signal is due again after {@code lease}, so that another replica handles it when this one dies.
   */
  Uni<List<Entry>> claim(int most, Duration lease) {
    return pool.preparedQuery(
            """
            UPDATE orchestrator.deferred_signal SET attempts = attempts + 1,
              due_at = now() + $2::bigint * interval '1 millisecond'
            WHERE id IN (
              SELECT d.id FROM orchestrator.deferred_signal d
              WHERE d.due_at <= now() AND NOT EXISTS (
                SELECT 1 FROM orchestrator.deferred_signal e WHERE e.run = d.run AND e.id < d.id)
              ORDER BY d.attempts, d.due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            RETURNING id, run, kind, data, published_at, source_partition, source_offset, attempts""")
        .execute(Tuple.of(most, lease.toMillis()))
        .map(
            rows -> {
              List<Entry> entries = new ArrayList<>();
              for (Row row : rows) {
                try {
                  entries.add(entry(row));
                } catch (IllegalStateException e) {
                  // Of a later version: a replica of that version handles it after the lease.
                  LOG.warnf("run %s: %s", row.getString("run"), e.getMessage());
                }
              }
              return entries;
            });
  }

  /** Deletes a handled signal, unless a later one has replaced it, which is due at once. */
  Uni<Void> delete(Entry entry) {
    return pool.preparedQuery(
            """
            WITH handled AS (
              DELETE FROM orchestrator.deferred_signal
              WHERE id = $1 AND source_partition = $2 AND source_offset = $3 RETURNING id)
            UPDATE orchestrator.deferred_signal SET due_at = now()
            WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM handled)""")
        .execute(Tuple.of(entry.id(), entry.partition(), entry.offset()))
        .replaceWithVoid();
  }

  /** Delays a claimed signal by {@code delay}. */
  Uni<Void> postpone(Entry entry, Duration delay) {
    return pool.preparedQuery(
            """
            UPDATE orchestrator.deferred_signal SET due_at = now() + $2::bigint * interval '1 millisecond'
            WHERE id = $1""")
        .execute(Tuple.of(entry.id(), delay.toMillis()))
        .replaceWithVoid();
  }

  private static String kind(RunnerSignal signal) {
    return switch (signal) {
      case RunnerSignal.RunnerExited _ -> EXITED;
      case RunnerSignal.RunnerLeft _ -> LEFT;
      case RunnerSignal.HeartbeatsMissed _ -> MISSED;
    };
  }

  private static Entry entry(Row row) {
    return new Entry(
        row.getLong("id"),
        signal(row.getString("kind"), row.getString("data")),
        row.getOffsetDateTime("published_at").toInstant(),
        row.getInteger("source_partition"),
        row.getLong("source_offset"),
        row.getInteger("attempts"));
  }

  private static RunnerSignal signal(String kind, String data) {
    Class<? extends RunnerSignal> type =
        switch (kind) {
          case EXITED -> RunnerSignal.RunnerExited.class;
          case LEFT -> RunnerSignal.RunnerLeft.class;
          case MISSED -> RunnerSignal.HeartbeatsMissed.class;
          default ->
              throw new IllegalStateException(
                  "deferred signal of kind '%s'; allowed are %s, %s and %s"
                      .formatted(kind, EXITED, LEFT, MISSED));
        };
    try {
      return Json.mapper().readValue(data, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("deferred signal cannot be read: " + data, e);
    }
  }
}
