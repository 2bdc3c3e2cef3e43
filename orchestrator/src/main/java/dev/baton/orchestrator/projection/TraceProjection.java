/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunHead;
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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Folds records of the trace into the run table. The positions move in the same transaction and
 * only from where this consumer believes them to be, so that every record counts exactly once even
 * while two consumers think they own a partition. One call at a time.
 */
@ApplicationScoped
class TraceProjection {
  private static final int KEPT_HEADS = 10_000;

  private final Pool pool;
  private final boolean leaseRequired;
  private final Counter strangers;
  private final Counter malformed;
  private final Counter folded;
  private final Map<Integer, Long> positions = new ConcurrentHashMap<>();
  private final Map<String, RunHead> heads =
      Collections.synchronizedMap(
          new LinkedHashMap<>(1024, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, RunHead> eldest) {
              return size() > KEPT_HEADS;
            }
          });

  TraceProjection(Pool pool, OrchestratorConfig config, MeterRegistry metrics) {
    this.pool = pool;
    this.leaseRequired = config.lease().required();
    this.strangers =
        Counter.builder("baton.projection.strangers")
            .description("events of runs that this installation does not know")
            .register(metrics);
    this.malformed =
        Counter.builder("baton.projection.malformed")
            .description("trace records that are no events; the store puts them aside")
            .register(metrics);
    this.folded =
        Counter.builder("baton.projection.events")
            .description("events folded into the run list")
            .register(metrics);
  }

  /** The next offset of each partition that has one. */
  Uni<Map<Integer, Long>> stored(Set<Integer> partitions) {
    return pool.preparedQuery(
            "SELECT partition, next_offset FROM orchestrator.projection_position WHERE partition = ANY($1)")
        .execute(Tuple.of(partitions.toArray(Integer[]::new)))
        .map(
            rows -> {
              Map<Integer, Long> found = new HashMap<>();
              rows.forEach(
                  row -> found.put(row.getInteger("partition"), row.getLong("next_offset")));
              return found;
            });
  }

  /** Forgets everything it remembers: it may have changed elsewhere. */
  void forget() {
    positions.clear();
    heads.clear();
  }

  /** Fails when nothing was written; the same records may then be given again. */
  Uni<Void> project(List<ConsumerRecord<String, byte[]>> records) {
    return Uni.createFrom()
        .deferred(() -> withPositions(records))
        .chain(() -> withHeads(records))
        .chain(() -> fold(records))
        .onFailure()
        .invoke(failure -> forget());
  }

  private Uni<Void> withPositions(List<ConsumerRecord<String, byte[]>> records) {
    Set<Integer> unknown = new TreeSet<>();
    records.forEach(record -> unknown.add(record.partition()));
    unknown.removeAll(positions.keySet());
    if (unknown.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return pool.preparedQuery(
            """
            INSERT INTO orchestrator.projection_position (partition, next_offset)
            SELECT unnest($1::int[]), 0 ON CONFLICT (partition) DO NOTHING""")
        .execute(Tuple.of(unknown.toArray(Integer[]::new)))
        .chain(() -> stored(unknown))
        .invoke(positions::putAll)
        .replaceWithVoid();
  }

  private Uni<Void> withHeads(List<ConsumerRecord<String, byte[]>> records) {
    Set<String> unknown = new TreeSet<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      if (record.key() != null && isNew(record) && !heads.containsKey(record.key())) {
        unknown.add(record.key());
      }
    }
    if (unknown.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return pool.preparedQuery("SELECT id, head FROM orchestrator.run WHERE id = ANY($1)")
        .execute(Tuple.of(unknown.toArray(String[]::new)))
        .invoke(
            rows -> {
              for (Row row : rows) {
                heads.put(row.getString("id"), head(row.getString("head")));
              }
            })
        .replaceWithVoid();
  }

  private static RunHead head(@Nullable String json) {
    return json == null
        ? RunHead.NONE
        : Json.read(json.getBytes(StandardCharsets.UTF_8), RunHead.class);
  }

  private boolean isNew(ConsumerRecord<String, byte[]> record) {
    return record.offset() >= positions.getOrDefault(record.partition(), 0L);
  }

  private Uni<Void> fold(List<ConsumerRecord<String, byte[]>> records) {
    Map<Integer, Long> to = new HashMap<>();
    Map<String, RunChange> changes = new LinkedHashMap<>();
    List<ObjectNode> born = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      if (isNew(record)) {
        to.merge(record.partition(), record.offset() + 1, Math::max);
        fold(record, changes, born);
      }
    }
    if (to.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    Map<Integer, Long> from = Map.copyOf(positions);
    return pool.withTransaction(tx -> write(tx, from, to, changes, born))
        .invoke(
            () -> {
              positions.putAll(to);
              changes.forEach((run, change) -> heads.put(run, change.head()));
            });
  }

  private static Uni<Void> write(
      SqlConnection tx,
      Map<Integer, Long> from,
      Map<Integer, Long> to,
      Map<String, RunChange> changes,
      List<ObjectNode> born) {
    return ViewWriter.move(tx, from, to).chain(() -> ViewWriter.write(tx, changes.values(), born));
  }

  private void fold(
      ConsumerRecord<String, byte[]> record,
      Map<String, RunChange> changes,
      List<ObjectNode> born) {
    switch (TraceCodec.decode(record.key(), record.headers(), record.value())) {
      case TraceCodec.Decoded.Malformed bad -> malformed.increment();
      case TraceCodec.Decoded.Unknown later -> folded.increment();
      case TraceCodec.Decoded.Known known -> fold(known.record(), changes, born);
    }
  }

  private void fold(TraceRecord record, Map<String, RunChange> changes, List<ObjectNode> born) {
    folded.increment();
    RunChange change = changes.get(record.run());
    if (change == null) {
      RunHead head = heads.get(record.run());
      change = new RunChange(record.run(), head == null ? RunHead.NONE : head);
      if (head == null) {
        ObjectNode row = leaseRequired ? null : foreign(record);
        if (row == null) {
          strangers.increment();
          return;
        }
        born.add(row);
      }
      changes.put(record.run(), change);
    }
    change.apply(record);
  }

  /** The row of a run that a foreign program opens by itself; null for any other stranger. */
  private static @Nullable ObjectNode foreign(TraceRecord record) {
    return record.event() instanceof TraceEvent.RunCreated created
            && created.kind().equals("external")
        ? ForeignRun.row(record, created)
        : null;
  }
}
