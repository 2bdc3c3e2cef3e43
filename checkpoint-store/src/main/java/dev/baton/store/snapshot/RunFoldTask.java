/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RestoreMarkFinder;
import dev.baton.protocol.state.ResumeStateFinder;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateFold;
import dev.baton.protocol.state.StateSizeTracker;
import dev.baton.protocol.state.UndamagedStateFinder;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Folds a run's stored events, page by page, on worker threads. Serves one request. */
final class RunFoldTask {
  private final StoredEventRepository log;
  private final FoldMemoryBudget room;
  private final FoldedStateCache kept;
  private final String run;
  private final long upTo;
  private final Function<String, Uni<byte[]>> bases;
  private StateSizeTracker size = new StateSizeTracker();
  private final String before;
  private Set<String> marks = Set.of();
  private Set<String> returns = Set.of();
  private StateFold fold;
  private @Nullable ResumeStateFinder point;
  private @Nullable Predicate<String> damaged;
  private @Nullable UndamagedStateFinder undamaged;
  private UndamagedStateFinder.@Nullable Point restored;
  private long position;
  private int taken;

  /**
   * @param upTo the position of the last event to fold
   * @param bases returns a fork's origin state as JSON
   */
  RunFoldTask(
      StoredEventRepository log,
      FoldMemoryBudget room,
      FoldedStateCache kept,
      String run,
      long upTo,
      Function<String, Uni<byte[]>> bases) {
    this(log, room, kept, run, upTo, bases, "");
  }

  /**
   * @param before also search for the last start of this step; empty for no search
   */
  RunFoldTask(
      StoredEventRepository log,
      FoldMemoryBudget room,
      FoldedStateCache kept,
      String run,
      long upTo,
      Function<String, Uni<byte[]>> bases,
      String before) {
    this.before = before;
    this.log = log;
    this.room = room;
    this.kept = kept;
    this.run = run;
    this.upTo = upTo;
    this.bases = bases;
    fold = new StateFold(RunState.empty(run));
  }

  /**
   * Folds the run. Fails with {@link StoreRequestException.Kind#EXHAUSTED} if the state is too
   * large.
   */
  Uni<FoldedState> fold() {
    FoldMemoryBudget.Share share = room.share(run);
    return log.controlAndReturns(run)
        .invoke(
            stored -> {
              List<TraceRecord> control =
                  stored.stream().flatMap(event -> event.typed().stream()).toList();
              marks = marks(control);
              returns = returns(control);
              begin(share, control.isEmpty());
            })
        .chain(() -> fold(share))
        .onTermination()
        .invoke(share::release);
  }

  /** Also searches for the latest state that needs none of these checkpoints. */
  RunFoldTask without(Predicate<String> checkpoints) {
    damaged = checkpoints;
    return this;
  }

  /** Restores the state of this point at the end, as {@code run_degraded} would. */
  RunFoldTask restoring(UndamagedStateFinder.Point earlier) {
    restored = earlier;
    return this;
  }

  private Set<String> marks(List<TraceRecord> control) {
    Set<String> all =
        new HashSet<>(RestoreMarkFinder.find(control.stream().map(TraceRecord::event).toList()));
    if (restored != null && restored.after() != null) {
      all.add(restored.after());
    }
    return all;
  }

  /** Returns what a search {@link #without} checkpoints found; empty if none was found. */
  Optional<UndamagedStateFinder.Point> undamaged() {
    return undamaged == null ? Optional.empty() : undamaged.found();
  }

  /** Returns the point that {@link #fold} found; empty if the run has never reached the step. */
  Optional<ResumeStateFinder.Found> point() {
    return point == null ? Optional.empty() : point.found();
  }

  /**
   * Starts from the cached state if it is a prefix of the requested fold.
   *
   * @param unknown the log has no event of the run: it may be deleted
   */
  private void begin(FoldMemoryBudget.Share share, boolean unknown) {
    Optional<FoldedStateCache.Kept> known =
        before.isEmpty() && damaged == null && restored == null && !unknown
            ? kept.find(run, upTo, returns)
            : Optional.empty();
    from(known.map(FoldedStateCache.Kept::state).orElseGet(() -> RunState.empty(run)));
    known.ifPresent(
        state -> {
          position = state.position();
          size = StateSizeTracker.of(state.state());
          share.grow(size.bytes());
        });
  }

  private static Set<String> returns(List<TraceRecord> control) {
    return control.stream()
        .filter(
            event ->
                event.event() instanceof TraceEvent.RunDegraded
                    || (event.event() instanceof TraceEvent.ResumeRequested resume
                        && resume.from() != null))
        .map(event -> event.id().toString())
        .collect(Collectors.toUnmodifiableSet());
  }

  private void from(RunState beginning) {
    fold = new StateFold(beginning, marks);
    point = before.isEmpty() ? null : new ResumeStateFinder(beginning, fold, before);
    undamaged = damaged == null ? null : new UndamagedStateFinder(beginning, fold, marks, damaged);
  }

  private Uni<FoldedState> fold(FoldMemoryBudget.Share share) {
    return log.page(run, position, upTo, StoredEventRepository.PAGE)
        .emitOn(Infrastructure.getDefaultExecutor())
        .call(page -> position == 0 && isFork(page) ? begin() : Uni.createFrom().nullItem())
        .chain(
            page -> {
              page.events().forEach(this::take);
              share.grow(size.bytes());
              return page.last() ? Uni.createFrom().item(this::folded) : fold(share);
            });
  }

  private FoldedState folded() {
    if (restored != null) {
      fold.returnTo(restored.after());
      return new FoldedState(fold.state(), position);
    }
    RunState state = fold.state();
    if (taken >= FoldedStateCache.WORTH) {
      kept.keep(new FoldedStateCache.Kept(state, position, size.bytes(), returns));
    }
    return new FoldedState(state, position);
  }

  /** Whether the run is a fork, according to its first event. */
  private static boolean isFork(StoredEventRepository.Page page) {
    return page.events().stream()
        .findFirst()
        .flatMap(StoredEvent::typed)
        .map(TraceRecord::event)
        .filter(
            event ->
                event instanceof TraceEvent.RunCreated created
                    && created.forkedFrom() != null
                    && created.isManaged())
        .isPresent();
  }

  private Uni<Void> begin() {
    return bases
        .apply(run)
        .emitOn(Infrastructure.getDefaultExecutor())
        .invoke(
            base -> {
              RunState beginning = Json.read(base, RunState.class);
              size = StateSizeTracker.of(beginning);
              from(beginning);
            })
        .replaceWithVoid();
  }

  private void take(StoredEvent event) {
    event
        .typed()
        .filter(typed -> accept(typed) == RunHead.Verdict.ACCEPTED)
        .ifPresent(accepted -> size.add(accepted.event()));
    position = event.position();
    taken++;
  }

  private RunHead.Verdict accept(TraceRecord event) {
    if (undamaged != null) {
      return undamaged.accept(event);
    }
    return point == null ? fold.accept(event) : point.accept(event);
  }
}
