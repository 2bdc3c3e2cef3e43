/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.lease.LeaseAuthenticator;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.notification.NotificationWriter;
import dev.baton.orchestrator.queue.WorkflowCapacityFreedEvent;
import dev.baton.orchestrator.replicas.ReplicaSession;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.server.PostgresErrorClassifier;
import dev.baton.sink.BatchHandler;
import dev.baton.sink.DeadLetterHandler;
import dev.baton.sink.EventAdmissionGuard;
import dev.baton.sink.PoisonRecord;
import dev.baton.sink.SinkBatch;
import dev.baton.sink.SinkRecord;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Folds records of the trace into the run table, in one transaction with their positions. Not for
 * concurrent calls.
 */
@ApplicationScoped
class TraceProjection implements BatchHandler, DeadLetterHandler {
  private static final Logger LOG = Logger.getLogger(TraceProjection.class);
  private static final int KEPT_HEADS = 10_000;

  /** Of runs that other programs create; the checkpoint-store accepts these names. */
  private static final Pattern PROJECT = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");

  private static final Duration SQL = Duration.ofSeconds(10);

  private final Pool pool;
  private final boolean leaseRequired;
  private final Counter strangers;
  private final Counter malformed;
  private final Counter folded;
  private final Counter skipped;
  private final Counter gaps;
  private final Counter fenced;
  private final RunMetrics runMetrics;
  private final EventAdmissionGuard admission;
  private final NotificationWriter notifications;
  private final Event<WorkflowCapacityFreedEvent> places;
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
      LeaseAuthenticator leases,
      ReplicaSession replicas,
      NotificationWriter notifications,
      OrchestratorConfig config,
      Event<WorkflowCapacityFreedEvent> places,
      RunMetrics runMetrics,
      MeterRegistry metrics) {
    this.runMetrics = runMetrics;
    this.places = places;
    this.admission =
        new EventAdmissionGuard(
            new RunHomeReader(pool),
            new FoldedControlSeqReader(pool),
            leases,
            () -> !replicas.doAllSign());
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

  /** Clears the cached heads, which may have changed elsewhere. */
  void forget() {
    heads.clear();
  }

  @Override
  public Uni<Void> learn(SinkBatch batch) {
    return admission.learn(batch);
  }

  @Override
  public @Nullable String refusal(SinkRecord event) {
    return admission.refusal(event);
  }

  /** Counts the record; the store moves it to the dead letters. */
  @Override
  public Uni<Void> publish(PoisonRecord poison) {
    switch (poison.kind()) {
      case MALFORMED -> malformed.increment();
      case REFUSED -> {
        // Counted by its lease.
      }
      case UNWRITABLE -> {
        skipped.increment();
        LOG.errorf(
            "partition %d: the view skips the record at offset %d, which cannot be written: %s",
            poison.record().partition(), poison.record().offset(), poison.reason());
      }
    }
    return Uni.createFrom().voidItem();
  }

  @Override
  public Uni<Outcome> apply(SinkBatch batch, Map<Integer, Long> expected) {
    return Uni.createFrom()
        .deferred(() -> heads(batch.runs()))
        .chain(known -> fold(batch, expected, known))
        .ifNoItem()
        .after(SQL)
        .fail()
        .onFailure()
        .invoke(failure -> forget())
        .replaceWith(Outcome.APPLIED)
        .onFailure(RunViewWriter.PositionMovedException.class)
        .recoverWithItem(Outcome.MOVED);
  }

  @Override
  public boolean isRefused(Throwable failure) {
    return failure instanceof UnfoldableRecordException || PostgresErrorClassifier.isFinal(failure);
  }

  private static final class UnfoldableRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnfoldableRecordException(RuntimeException cause) {
      super(cause.toString(), cause);
    }
  }

  /** Returns the heads for the batch, independently of later evictions from the cache. */
  private Uni<Map<String, RunHead>> heads(Set<String> runs) {
    Map<String, RunHead> known = new HashMap<>();
    Set<String> unknown = new TreeSet<>();
    for (String run : runs) {
      RunHead head = heads.get(run);
      if (head == null) {
        unknown.add(run);
      } else {
        known.put(run, head);
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

  private Uni<Void> fold(SinkBatch batch, Map<Integer, Long> expected, Map<String, RunHead> known) {
    Map<String, RunChange> changes = new LinkedHashMap<>();
    List<ObjectNode> born = new ArrayList<>();
    ArrayNode told = Json.mapper().createArrayNode();
    for (SinkRecord record : batch.records()) {
      fold(record, known, new Batch(changes, born, told));
    }
    return pool.withTransaction(tx -> write(tx, expected, batch.next(), changes, born, told))
        .invoke(
            () -> {
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

  private void fold(SinkRecord event, Map<String, RunHead> known, Batch batch) {
    TraceRecord record = event.known();
    if (record == null) {
      folded.increment(); // of a later version
      return;
    }
    try {
      fold(
          record,
          event.partition(),
          Instant.ofEpochMilli(event.record().timestamp()),
          TraceCodec.isRestored(event.record().headers()),
          known,
          batch);
    } catch (RuntimeException e) {
      // A retry would fail in the same way and block the records after it.
      throw new UnfoldableRecordException(e);
    }
  }

  private void fold(
      TraceRecord record,
      int partition,
      Instant appended,
      boolean restored,
      Map<String, RunHead> known,
      Batch batch) {
    folded.increment();
    RunChange change = batch.changes().get(record.run());
    if (change == null) {
      RunHead head = known.get(record.run());
      change = new RunChange(record.run(), partition, head == null ? RunHead.NONE : head);
      if (head == null) {
        ObjectNode row = leaseRequired ? null : foreign(record, restored);
        if (row == null) {
          strangers.increment();
          return;
        }
        batch.born().add(row.put("home_partition", partition));
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
            && PROJECT.matcher(created.project()).matches()
        ? ForeignRunRowBuilder.row(record, created)
        : null;
  }
}
