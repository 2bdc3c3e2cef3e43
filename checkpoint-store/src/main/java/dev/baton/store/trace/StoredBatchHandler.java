/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.server.PostgresErrorClassifier;
import dev.baton.sink.BatchHandler;
import dev.baton.sink.EventAdmissionGuard;
import dev.baton.sink.SinkBatch;
import dev.baton.sink.SinkRecord;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Stores batches of the trace, and wakes what waits for their events. */
@ApplicationScoped
class StoredBatchHandler implements BatchHandler {
  private final TraceRepository repository;
  private final EventAdmissionGuard admission;
  private final StrayEventSweeper strays;
  private final TraceMetrics metrics;
  private final StoredEventNotifier wakeups;
  private final Event<RunsQuiescedEvent> rested;

  StoredBatchHandler(
      Pool pool,
      TraceRepository repository,
      LeaseAuthenticator leases,
      RunHomeRepository homes,
      StrayEventSweeper strays,
      TraceMetrics metrics,
      StoredEventNotifier wakeups,
      Event<RunsQuiescedEvent> rested) {
    this.repository = repository;
    // An earlier version signs no run_created, and whether the others are signed depends on it.
    this.admission =
        new EventAdmissionGuard(homes, new StoredControlSeqReader(pool), leases, () -> false);
    this.strays = strays;
    this.metrics = metrics;
    this.wakeups = wakeups;
    this.rested = rested;
  }

  @Override
  public Uni<Void> learn(SinkBatch batch) {
    Set<String> created =
        batch.records().stream()
            .filter(EventAdmissionGuard::isCreation)
            .map(record -> record.id().run())
            .collect(Collectors.toSet());
    return admission
        .learn(batch)
        .chain(() -> created.isEmpty() ? Uni.createFrom().voidItem() : strays.sweep(created));
  }

  /**
   * Refuses events that do not count, and names with NUL: Postgres does not allow it in text and
   * would refuse the whole batch.
   */
  @Override
  public @Nullable String refusal(SinkRecord event) {
    CutRow cut = CutRow.of(event);
    if (hasNul(event.type())
        || hasNul(event.source())
        || hasNul(event.lease())
        || hasNul(event.signature())
        || (cut != null && (hasNul(cut.step()) || hasNul(cut.cut().format())))) {
      return "has a NUL character in a name";
    }
    return admission.refusal(event);
  }

  private static boolean hasNul(@Nullable String text) {
    return text != null && text.indexOf('\0') >= 0;
  }

  @Override
  public Uni<Outcome> apply(SinkBatch batch, Map<Integer, Long> expected) {
    long start = System.nanoTime();
    return repository
        .write(batch, expected)
        .map(
            outcome -> {
              // Also where the position moved: an earlier attempt or another replica stored some.
              wakeups.wake(batch.runs());
              return switch (outcome) {
                case TraceRepository.Outcome.Moved moved -> Outcome.MOVED;
                case TraceRepository.Outcome.Stored stored -> {
                  count(batch, stored.events(), Duration.ofNanos(System.nanoTime() - start));
                  publishQuiesced(batch);
                  yield Outcome.APPLIED;
                }
              };
            });
  }

  private void count(SinkBatch batch, int inserted, Duration took) {
    int unknown = 0;
    int failedCaptures = 0;
    for (SinkRecord event : batch.records()) {
      if (event.known() == null) {
        unknown++;
      } else if (isFailedCapture(event.known().event())) {
        failedCaptures++;
      }
    }
    metrics.stored(inserted, batch.records().size() - inserted, unknown, failedCaptures, took);
  }

  private static boolean isFailedCapture(TraceEvent event) {
    return switch (event) {
      case TraceEvent.CheckpointSaved saved -> saved.error() != null;
      case TraceEvent.StepCompleted completed -> completed.withoutCut();
      default -> false;
    };
  }

  /** Publishes a hint. An observer that misses it finds the stored events. */
  private void publishQuiesced(SinkBatch batch) {
    Set<String> runs =
        batch.records().stream()
            .filter(
                event ->
                    RunsQuiescedEvent.TYPES.contains(event.type()) || pausesWithoutRunner(event))
            .map(event -> event.id().run())
            .collect(Collectors.toSet());
    if (!runs.isEmpty()) {
      rested.fire(new RunsQuiescedEvent(runs));
    }
  }

  private static boolean pausesWithoutRunner(SinkRecord event) {
    return event.known() != null
        && event.known().event() instanceof TraceEvent.PauseRequested pause
        && pause.idle();
  }

  @Override
  public boolean isRefused(Throwable failure) {
    return PostgresErrorClassifier.isFinal(failure);
  }
}
