/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import dev.baton.orchestrator.gateway.RunnerCommandDispatcher;
import dev.baton.orchestrator.launch.RunLauncher;
import dev.baton.orchestrator.launch.RunnerStopper;
import dev.baton.orchestrator.publish.ControlEventPublisher;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Performs the effects of a round. The effects of a run are performed in order: each is started
 * after the one before it has succeeded, so no control event is sent before the one before it is
 * acknowledged. Runs do not wait for one another: a run continues as soon as its own effect has
 * ended, in one batch with the runs whose effects ended within the same 5 ms.
 *
 * <p>An event that is not acknowledged, or a kill that has not succeeded, within 500 ms outlasts
 * the round: its row is postponed and becomes due when it has ended, and a later round of this
 * replica continues with its result instead of starting it again. Another replica that claims the
 * row in that time repeats the effect, which is idempotent. Performs the first row of each run;
 * later rows wait for the next round. Thread-safe.
 */
@ApplicationScoped
class OutboxEffectExecutor {
  private static final Logger LOG = Logger.getLogger(OutboxEffectExecutor.class);

  /** Collects runs into one batch for a launch or a kill. */
  private static final Duration GATHER = Duration.ofMillis(5);

  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration TASK = Duration.ofSeconds(60);

  /** How long the result of an effect is kept that outlasted its round. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  private final ControlEventPublisher publisher;
  private final RunLauncher launcher;
  private final RunnerStopper stopper;
  private final RunnerCommandDispatcher commands;
  private final Event<OutboxEffectEndedEvent> ended;

  /** By row; its present effect. */
  private final Map<Long, StartedEffect> started = new ConcurrentHashMap<>();

  OutboxEffectExecutor(
      ControlEventPublisher publisher,
      RunLauncher launcher,
      RunnerStopper stopper,
      RunnerCommandDispatcher commands,
      Event<OutboxEffectEndedEvent> ended) {
    this.publisher = publisher;
    this.launcher = launcher;
    this.stopper = stopper;
    this.commands = commands;
    this.ended = ended;
  }

  /** An effect that may outlast the round that has started it. */
  private static final class StartedEffect {
    final OutboxEffect effect;
    final CompletableFuture<Void> end;
    private final AtomicBoolean detached = new AtomicBoolean();
    private volatile long endedNanos;

    StartedEffect(OutboxEffect effect, CompletableFuture<Void> end) {
      this.effect = effect;
      this.end = end.whenComplete((done, failure) -> endedNanos = System.nanoTime());
    }

    boolean isOld() {
      return end.isDone() && System.nanoTime() - endedNanos > KEPT.toNanos();
    }
  }

  /** A row in progress, with the number of its completed effects. Used by one thread. */
  private static final class Progress {
    final ClaimedOutboxRow row;
    private List<OutboxEffect> effects;
    private int done;
    private boolean failed;
    OutboxRowResult.Awaits awaits = OutboxRowResult.Awaits.NOTHING;

    Progress(ClaimedOutboxRow row) {
      this.row = row;
      this.effects = row.effects();
    }

    boolean isDone() {
      return done == effects.size();
    }

    /** Whether the row has no further effect in this round. */
    boolean isOver() {
      return failed || isDone() || awaits != OutboxRowResult.Awaits.NOTHING;
    }

    OutboxEffect next() {
      return effects.get(done);
    }

    void succeeded() {
      done++;
    }

    void failed(Throwable failure) {
      // Not the whole effect: an event may be large.
      LOG.warnf(
          "run %s: %s failed, retrying: %s", row.run(), next().getClass().getSimpleName(), failure);
      failed = true;
    }

    /** Replaces the current effect with its remaining effects. */
    void nextBecomes(List<OutboxEffect> left) {
      List<OutboxEffect> rest = new ArrayList<>(left);
      rest.addAll(effects.subList(done + 1, effects.size()));
      effects = rest;
      done = 0;
    }

    OutboxRowResult result() {
      return isDone()
          ? new OutboxRowResult.Done()
          : new OutboxRowResult.Postponed(
              List.copyOf(effects.subList(done, effects.size())), awaits);
    }
  }

  /**
   * The end of an effect of some rows.
   *
   * @param apply records the result in their progress
   */
  private record EndedEffect(Collection<Progress> of, Runnable apply) {}

  /** Performs the rows. Blocks, with a timeout. Rows without a result were not started. */
  Map<Long, OutboxRowResult> perform(List<ClaimedOutboxRow> rows) {
    started.values().removeIf(StartedEffect::isOld);
    Map<String, Progress> firsts = new LinkedHashMap<>();
    for (ClaimedOutboxRow row : rows) {
      firsts.computeIfAbsent(row.run(), run -> new Progress(row));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Round round = new Round(threads);
      try {
        round.run(firsts.values());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      round.detach(firsts.values());
      threads.shutdownNow();
    }
    Map<Long, OutboxRowResult> results = new HashMap<>();
    firsts.values().forEach(progress -> results.put(progress.row.id(), progress.result()));
    return results;
  }

  /** One call of {@link #perform}: starts effects on other threads and applies their results. */
  private final class Round {
    private final ExecutorService threads;
    private final BlockingQueue<EndedEffect> ends = new LinkedBlockingQueue<>();

    /** Rows whose present effect was started in this round and may outlast it. */
    private final Set<Progress> fresh = new HashSet<>();

    /** Number of effects in progress that may not outlast the round. */
    private int tasks;

    private long patienceEnd = System.nanoTime();

    Round(ExecutorService threads) {
      this.threads = threads;
    }

    void run(Collection<Progress> rows) throws InterruptedException {
      start(rows);
      for (EndedEffect next = await(); next != null; next = await()) {
        start(gather(next));
      }
    }

    private @Nullable EndedEffect await() throws InterruptedException {
      if (tasks > 0) {
        EndedEffect end = ends.poll(TASK.toMillis(), TimeUnit.MILLISECONDS);
        if (end == null) {
          LOG.warnf("outbox: %d effects have not ended within %s, retrying", tasks, TASK);
        }
        return end;
      }
      return fresh.isEmpty()
          ? ends.poll()
          : ends.poll(patienceEnd - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Applies this end and those that follow within 5 ms; returns their rows. */
    private List<Progress> gather(EndedEffect first) throws InterruptedException {
      List<Progress> wave = new ArrayList<>();
      long until = System.nanoTime() + GATHER.toNanos();
      EndedEffect next = first;
      while (next != null) {
        next.apply().run();
        wave.addAll(next.of());
        next =
            tasks == 0 && fresh.isEmpty()
                ? ends.poll()
                : ends.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      return wave;
    }

    private void start(Collection<Progress> rows) {
      List<Progress> published = new ArrayList<>();
      List<Progress> killed = new ArrayList<>();
      List<Progress> launched = new ArrayList<>();
      List<Progress> ending = new ArrayList<>();
      for (Progress row : rows) {
        if (!row.isOver() && row.next() instanceof OutboxEffect.AwaitEnd end) {
          if (end.isOver(Instant.now())) {
            row.succeeded();
          }
        }
        if (row.isOver() || attach(row)) {
          continue;
        }
        switch (row.next()) {
          case OutboxEffect.Publish _ -> published.add(row);
          case OutboxEffect.Kill _ -> killed.add(row);
          case OutboxEffect.Launch _ -> launched.add(row);
          case OutboxEffect.AwaitEnd _ -> ending.add(row);
          case OutboxEffect.Deliver _, OutboxEffect.Pause _, OutboxEffect.Stop _ ->
              task(List.of(row), () -> command(row));
        }
      }
      if (!published.isEmpty()) {
        publish(published);
      }
      if (!killed.isEmpty()) {
        kill(killed);
      }
      if (!launched.isEmpty()) {
        task(launched, () -> launch(launched));
      }
      if (!ending.isEmpty()) {
        task(ending, () -> lookForEnds(ending));
      }
    }

    /** Continues with an effect that an earlier round has started; false when there is none. */
    private boolean attach(Progress row) {
      StartedEffect before = started.get(row.row.id());
      if (before == null) {
        return false;
      }
      if (!before.effect.equals(row.next())) { // Another replica has performed it.
        started.remove(row.row.id(), before);
        return false;
      }
      expect(row, before);
      return true;
    }

    private void begin(Progress row, CompletableFuture<Void> end) {
      StartedEffect effect = new StartedEffect(row.next(), end);
      started.put(row.row.id(), effect);
      fresh.add(row);
      patienceEnd = System.nanoTime() + PATIENCE.toNanos();
      expect(row, effect);
    }

    private void expect(Progress row, StartedEffect effect) {
      effect.end.whenComplete(
          (done, failure) ->
              ends.add(
                  new EndedEffect(
                      List.of(row),
                      () -> {
                        fresh.remove(row);
                        started.remove(row.row.id(), effect);
                        if (failure == null) {
                          row.succeeded();
                        } else {
                          row.failed(failure);
                        }
                      })));
    }

    /** Publishes the events together, so that they share a signature. */
    private void publish(List<Progress> rows) {
      List<ControlEventPublisher.ControlEvent> events = new ArrayList<>();
      for (Progress row : rows) {
        if (row.next() instanceof OutboxEffect.Publish publish) {
          events.add(
              new ControlEventPublisher.ControlEvent(
                  publish.record(row.row.run(), publisher.source()),
                  row.row.home(),
                  row.row.isSigned()));
        }
      }
      List<CompletableFuture<Void>> sent = publisher.publish(events);
      for (int i = 0; i < rows.size(); i++) {
        begin(rows.get(i), sent.get(i));
      }
    }

    private void kill(List<Progress> rows) {
      Map<String, Integer> below = new HashMap<>();
      for (Progress row : rows) {
        if (row.next() instanceof OutboxEffect.Kill(int epoch)) {
          below.put(row.row.run(), epoch);
        }
      }
      Map<String, CompletableFuture<Void>> killed = stopper.kill(below);
      for (Progress row : rows) {
        CompletableFuture<Void> end = killed.get(row.row.run());
        begin(row, end == null ? CompletableFuture.completedFuture(null) : end);
      }
    }

    /**
     * @param work performs the next effect of each row and returns what records the results
     */
    private void task(Collection<Progress> rows, Callable<Runnable> work) {
      tasks++;
      threads.execute(
          () -> {
            Runnable apply;
            try {
              apply = work.call();
            } catch (Exception | Error e) {
              apply = () -> rows.forEach(row -> row.failed(e));
            }
            Runnable result = apply;
            ends.add(
                new EndedEffect(
                    rows,
                    () -> {
                      tasks--;
                      result.run();
                    }));
          });
    }

    /** Leaves the effects that have not ended to a later round. */
    void detach(Collection<Progress> rows) {
      for (Progress row : rows) {
        StartedEffect effect = row.isOver() ? null : started.get(row.row.id());
        if (effect == null) {
          continue;
        }
        row.awaits = OutboxRowResult.Awaits.EFFECT;
        if (effect.detached.compareAndSet(false, true)) {
          LOG.debugf(
              "run %s: %s outlasts its round",
              row.row.run(), effect.effect.getClass().getSimpleName());
          long id = row.row.id();
          effect.end.whenComplete((done, failure) -> ended.fire(new OutboxEffectEndedEvent(id)));
        }
      }
    }
  }

  private Runnable launch(List<Progress> rows) {
    List<RunLauncher.Target> targets = new ArrayList<>();
    for (Progress row : rows) {
      if (row.next() instanceof OutboxEffect.Launch(int epoch)) {
        targets.add(new RunLauncher.Target(row.row.run(), epoch));
      }
    }
    Map<String, RunLauncher.Outcome> outcomes = launcher.launch(targets);
    return () -> rows.forEach(row -> account(row, outcomes.get(row.row.run())));
  }

  private static void account(Progress row, RunLauncher.@Nullable Outcome outcome) {
    switch (outcome) {
      case DONE -> row.succeeded();
      case NO_SLOT -> row.awaits = OutboxRowResult.Awaits.SLOT;
      case NO_START -> row.awaits = OutboxRowResult.Awaits.START;
      case FAILED -> row.failed = true; // The launcher has logged why.
      case null -> row.failed = true;
    }
  }

  /** Never waits, so that other launches are not delayed. */
  private Runnable lookForEnds(List<Progress> rows) {
    Map<String, Integer> epochs = new LinkedHashMap<>();
    for (Progress row : rows) {
      if (row.next() instanceof OutboxEffect.AwaitEnd end) {
        epochs.put(row.row.run(), end.epoch());
      }
    }
    Set<String> busy = stopper.busy(epochs);
    return () -> {
      for (Progress row : rows) {
        if (busy.contains(row.row.run())) {
          row.awaits = OutboxRowResult.Awaits.END;
        } else {
          row.succeeded();
        }
      }
    };
  }

  private Runnable command(Progress row) {
    String run = row.row.run();
    switch (row.next()) {
      case OutboxEffect.Deliver(String approval) -> commands.deliver(run, approval);
      case OutboxEffect.Pause pause -> commands.pause(run, pause.epoch(), pause.now());
      case OutboxEffect.Stop stop -> {
        commands.cancel(run, stop.reason());
        Instant killAt = Instant.now().plus(RunnerStopper.GRACE);
        return () -> row.nextBecomes(stop.afterRequest(killAt));
      }
      case OutboxEffect.Publish _,
          OutboxEffect.Kill _,
          OutboxEffect.Launch _,
          OutboxEffect.AwaitEnd _ ->
          throw new IllegalStateException("not a command: " + row.next());
    }
    return row::succeeded;
  }
}
