/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.sink.EventAdmissionGuard;
import dev.baton.sink.PoisonRecord;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Moves events to the dead letters that were stored before their run's {@code run_created} was
 * read, and that are in another partition than it.
 */
@ApplicationScoped
class StrayEventSweeper {
  private static final String STRAYS =
      """
      SELECT e.run, e.lane, e.seq, e.partition, e.position, e.type, e.source, e.time_micros, e.lease, e.data,
        h.partition AS home
      FROM store.run_home h JOIN store.event e ON e.run = h.run AND e.partition <> h.partition
      WHERE h.run = ANY($1) ORDER BY e.partition, e.position LIMIT 1000""";

  private final Pool pool;
  private final DeadLetterPublisher deadLetters;
  private final Event<TraceCorrectedEvent> corrected;

  StrayEventSweeper(
      Pool pool, DeadLetterPublisher deadLetters, Event<TraceCorrectedEvent> corrected) {
    this.pool = pool;
    this.deadLetters = deadLetters;
    this.corrected = corrected;
  }

  /**
   * Completes when no such event of these runs is stored. After a failure some may be in the dead
   * letters twice, none is lost.
   */
  Uni<Void> sweep(Set<String> runs) {
    return pool.preparedQuery(STRAYS)
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .chain(
            rows -> {
              List<Row> strays = new ArrayList<>();
              rows.forEach(strays::add);
              return strays.isEmpty()
                  ? Uni.createFrom().voidItem()
                  : Multi.createFrom()
                      .iterable(strays)
                      .onItem()
                      .transformToUniAndConcatenate(this::bury)
                      .collect()
                      .last()
                      .chain(() -> sweep(runs));
            });
  }

  private Uni<Void> bury(Row row) {
    return deadLetters
        .publish(poison(row))
        .chain(() -> delete("store.cut", row))
        .chain(() -> delete("store.event", row))
        .invoke(() -> corrected.fire(new TraceCorrectedEvent(row.getString("run"))));
  }

  private Uni<Void> delete(String table, Row row) {
    return pool.preparedQuery("DELETE FROM " + table + " WHERE run = $1 AND lane = $2 AND seq = $3")
        .execute(Tuple.of(row.getString("run"), row.getInteger("lane"), row.getLong("seq")))
        .replaceWithVoid();
  }

  private static PoisonRecord poison(Row row) {
    int epoch = row.getInteger("lane");
    EventId id =
        new EventId(
            row.getString("run"),
            epoch == 0 ? Lane.CONTROL : Lane.runner(epoch),
            row.getLong("seq"));
    byte[] data = row.getBuffer("data").getBytes();
    ConsumerRecord<byte[], byte[]> record =
        new ConsumerRecord<>(
            TopicName.TRACE,
            row.getInteger("partition"),
            row.getLong("position") - 1,
            id.run().getBytes(StandardCharsets.UTF_8),
            data);
    TraceCodec.headers(
            id,
            URI.create(row.getString("source")),
            row.getString("type"),
            time(row.getLong("time_micros")),
            epoch == 0 ? null : row.getString("lease"),
            data)
        .forEach(record.headers()::add);
    String signature = row.getString("lease");
    if (epoch == 0 && signature != null) {
      TraceCodec.sign(record.headers(), signature);
    }
    return new PoisonRecord(
        record,
        PoisonRecord.Kind.REFUSED,
        id
            + ": "
            + EventAdmissionGuard.strayReason(row.getInteger("partition"), row.getInteger("home")));
  }

  private static @Nullable Instant time(@Nullable Long micros) {
    return micros == null ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
