/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.state.ResumeStateFinder;
import dev.baton.store.config.StoreConfig;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.trace.StoredEventNotifier;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.runtime.Startup;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Returns the state from which an epoch's runner starts: the fold up to and including its own
 * {@code runner_assigned}. The state contains every event that was acknowledged before the fence,
 * and no event of an older runner after it.
 */
@Startup // registers the metrics before they are first counted
@ApplicationScoped
public class RunSnapshotService {
  public static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private final StoredEventRepository log;
  private final RunFoldService folds;
  private final StoredEventNotifier wakeups;
  private final Duration defaultWait;
  private final long maxBytes;
  private final Timer timer;

  RunSnapshotService(
      StoredEventRepository log,
      RunFoldService folds,
      StoredEventNotifier wakeups,
      StoreConfig config,
      MeterRegistry registry) {
    this.log = log;
    this.folds = folds;
    this.wakeups = wakeups;
    defaultWait = config.snapshot().defaultWait();
    maxBytes = config.snapshot().maxBytes();
    timer =
        Timer.builder("baton.store.fold")
            .description("from the fence's being found to the folded state")
            .register(registry);
  }

  /**
   * Returns the state at an epoch's start; waits until the epoch's fence is stored.
   *
   * @param epoch 1 or more
   * @param wait maximum time, up to {@link #LONGEST_WAIT}; zero for the configured default
   */
  public Uni<FoldedState> asOf(String run, int epoch, Duration wait) {
    return start(run, epoch, wait).chain(fence -> fold(run, fence.position()));
  }

  /**
   * Returns the latest state before an epoch's start that needs none of these checkpoints; waits
   * like {@link #asOf}.
   */
  public Uni<ResumeStateFinder.Found> asOfWithout(
      String run, int epoch, Duration wait, Set<String> damaged) {
    return start(run, epoch, wait).chain(fence -> folds.without(run, fence.position(), damaged));
  }

  private Uni<EpochStart> start(String run, int epoch, Duration wait) {
    Duration bound = wait.isZero() ? defaultWait : wait;
    if (bound.compareTo(LONGEST_WAIT) > 0 || bound.isNegative()) {
      return Uni.createFrom()
          .failure(
              StoreRequestException.invalid(
                  "a wait of " + bound.toMillis() + " ms is not between 0 and 60000"));
    }
    return wakeups
        .await(run, bound, () -> look(run, epoch))
        .map(found -> found.orElseThrow(() -> late(run, epoch, bound)));
  }

  /** Maximum size of a state: {@code baton.snapshot.max-bytes}. A larger one is refused. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Returns the current state. Fails with NOT_FOUND if the run has no events. */
  public Uni<FoldedState> now(String run) {
    return fold(run, Long.MAX_VALUE)
        .invoke(
            folded -> {
              if (folded.position() == 0) {
                throw StoreRequestException.notFound("run " + run + " has no events");
              }
            });
  }

  private Uni<Optional<EpochStart>> look(String run, int epoch) {
    return log.control(run)
        .map(
            control ->
                EpochStart.in(control).stream()
                    .filter(fence -> fence.epoch() == epoch)
                    .findFirst());
  }

  private Uni<FoldedState> fold(String run, long upTo) {
    long start = System.nanoTime();
    return folds
        .fold(run, upTo)
        .invoke(() -> timer.record(Duration.ofNanos(System.nanoTime() - start)));
  }

  private static StoreRequestException late(String run, int epoch, Duration waited) {
    return StoreRequestException.notYet(
        "runner_assigned(%d) of run %s was not stored within %d ms"
            .formatted(epoch, run, waited.toMillis()));
  }
}
