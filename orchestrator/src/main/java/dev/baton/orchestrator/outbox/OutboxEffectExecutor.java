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
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;

/**
 * Performs the effects of a round: common ones of many rows (events, launches) in one batch, the
 * others in parallel. Performs the first row of each run; later rows wait for the next round.
 */
@ApplicationScoped
class OutboxEffectExecutor {
  private static final Logger LOG = Logger.getLogger(OutboxEffectExecutor.class);
  private static final Duration PUBLISH = Duration.ofSeconds(35);

  /** Several seconds with the backoff between them. */
  private static final int KILL_ATTEMPTS = 4;

  private static final Duration EFFECT = Duration.ofSeconds(60);

  private final KafkaEventPublisher publisher;
  private final RunLauncher launcher;
  private final RunnerStopper stopper;
  private final RunnerCommandDispatcher commands;

  OutboxEffectExecutor(
      KafkaEventPublisher publisher,
      RunLauncher launcher,
      RunnerStopper stopper,
      RunnerCommandDispatcher commands) {
    this.publisher = publisher;
    this.launcher = launcher;
    this.stopper = stopper;
    this.commands = commands;
  }

  /** A row in progress, with the number of its completed effects. */
  private static final class Progress {
    final ClaimedOutboxRow row;
    private List<OutboxEffect> effects;
    int done;
    OutboxRowResult.Awaits awaits = OutboxRowResult.Awaits.NOTHING;

    Progress(ClaimedOutboxRow row) {
      this.row = row;
      this.effects = row.effects();
    }

    boolean isDone() {
      return done == effects.size();
    }

    OutboxEffect next() {
      return effects.get(done);
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

  /** Performs the rows. Blocks, with a timeout. Rows without a result were not started. */
  Map<Long, OutboxRowResult> perform(List<ClaimedOutboxRow> rows) {
    Map<String, Progress> firsts = new LinkedHashMap<>();
    for (ClaimedOutboxRow row : rows) {
      firsts.computeIfAbsent(row.run(), run -> new Progress(row));
    }
    publishLeading(firsts.values());
    lookForEnds(firsts.values());
    killTogether(firsts.values());
    // Before effects that wait for a runner: a failover takes milliseconds.
    launchTogether(firsts.values());
    List<Progress> told = doSingles(firsts.values());
    lookForEnds(told);
    killTogether(told);
    Map<Long, OutboxRowResult> results = new HashMap<>();
    firsts.values().forEach(progress -> results.put(progress.row.id(), progress.result()));
    return results;
  }

  private void publishLeading(Iterable<Progress> all) {
    Map<Progress, List<CompletableFuture<Void>>> sent = new LinkedHashMap<>();
    for (Progress progress : all) {
      List<CompletableFuture<Void>> ofRow = new ArrayList<>();
      for (OutboxEffect effect : progress.row.effects()) {
        if (!(effect instanceof OutboxEffect.Publish publish)) {
          break;
        }
        try {
          ofRow.add(
              publisher.trace(
                  publish.record(progress.row.run(), publisher.source()), progress.row.home()));
        } catch (RuntimeException e) {
          // A row that cannot be sent must not block the other rows of the round.
          ofRow.add(CompletableFuture.failedFuture(e));
          break;
        }
      }
      sent.put(progress, ofRow);
    }
    sent.forEach(
        (progress, ofRow) -> {
          for (CompletableFuture<Void> event : ofRow) {
            if (!arrived(progress, event)) {
              return;
            }
            progress.done++;
          }
        });
  }

  private static boolean arrived(Progress progress, Future<Void> event) {
    try {
      event.get(PUBLISH.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      LOG.warnf("run %s: control event not acknowledged, retrying: %s", progress.row.run(), e);
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void launchTogether(Iterable<Progress> all) {
    Map<String, Progress> launching = new LinkedHashMap<>();
    List<RunLauncher.Target> targets = new ArrayList<>();
    for (Progress progress : all) {
      if (!progress.isDone() && progress.next() instanceof OutboxEffect.Launch(int epoch)) {
        targets.add(new RunLauncher.Target(progress.row.run(), epoch));
        launching.put(progress.row.run(), progress);
      }
    }
    if (targets.isEmpty()) {
      return;
    }
    Map<String, RunLauncher.Outcome> outcomes = launcher.launch(targets);
    launching.forEach((run, progress) -> account(progress, outcomes.get(run)));
  }

  private static void account(
      Progress progress, RunLauncher.@org.jspecify.annotations.Nullable Outcome outcome) {
    switch (outcome) {
      case null -> {}
      case DONE -> progress.done++;
      case NO_SLOT -> progress.awaits = OutboxRowResult.Awaits.SLOT;
      case NO_START -> progress.awaits = OutboxRowResult.Awaits.START;
      case FAILED -> {}
    }
  }

  private void killTogether(Iterable<Progress> all) {
    Map<String, Integer> below = new LinkedHashMap<>();
    List<Progress> killing = new ArrayList<>();
    for (Progress progress : all) {
      if (!progress.isDone() && progress.next() instanceof OutboxEffect.Kill(int epoch)) {
        below.put(progress.row.run(), epoch);
        killing.add(progress);
      }
    }
    if (killing.isEmpty()) {
      return;
    }
    Set<String> unkilled = stopper.kill(below);
    for (Progress progress : killing) {
      if (!unkilled.contains(progress.row.run())) {
        progress.done++;
      } else if (progress.row.attempts() >= KILL_ATTEMPTS) {
        LOG.errorf(
            "run %s: cannot kill processes of an older epoch, continuing; they are fenced",
            progress.row.run());
        progress.done++;
      }
    }
  }

  /** Never waits, so that other launches are not delayed. */
  private void lookForEnds(Iterable<Progress> all) {
    Map<String, Integer> epochs = new LinkedHashMap<>();
    List<Progress> ending = new ArrayList<>();
    Instant now = Instant.now();
    for (Progress progress : all) {
      if (!progress.isDone() && progress.next() instanceof OutboxEffect.AwaitEnd end) {
        if (end.isOver(now)) {
          progress.done++;
        } else {
          epochs.put(progress.row.run(), end.epoch());
          ending.add(progress);
        }
      }
    }
    if (ending.isEmpty()) {
      return;
    }
    Set<String> busy = stopper.busy(epochs);
    for (Progress progress : ending) {
      if (busy.contains(progress.row.run())) {
        progress.awaits = OutboxRowResult.Awaits.END;
      } else {
        progress.done++;
      }
    }
  }

  /** Performs the single effects; returns the rows whose runner was requested to stop. */
  private List<Progress> doSingles(Iterable<Progress> all) {
    Map<Progress, Future<?>> running = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Progress progress : all) {
        if (!progress.isDone() && isSingle(progress.next())) {
          running.put(progress, threads.submit(() -> finish(progress)));
        }
      }
      running.forEach(OutboxEffectExecutor::await);
      threads.shutdownNow();
    }
    return running.keySet().stream()
        .filter(progress -> !progress.isDone() && progress.next() instanceof OutboxEffect.AwaitEnd)
        .toList();
  }

  private static boolean isSingle(OutboxEffect effect) {
    return switch (effect) {
      case OutboxEffect.Deliver _, OutboxEffect.Pause _, OutboxEffect.Stop _ -> true;
      // These failed in this round if they are still pending; the next round retries them.
      case OutboxEffect.Publish _,
          OutboxEffect.Kill _,
          OutboxEffect.Launch _,
          OutboxEffect.AwaitEnd _ ->
          false;
    };
  }

  private static void await(Progress progress, Future<?> future) {
    try {
      future.get(EFFECT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warnf(
          e,
          "run %s: %s failed, retrying",
          progress.row.run(),
          progress.isDone() ? "an effect" : progress.next());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void finish(Progress progress) {
    String run = progress.row.run();
    while (!progress.isDone()) {
      switch (progress.next()) {
        case OutboxEffect.Deliver(String approval) -> commands.deliver(run, approval);
        case OutboxEffect.Pause pause -> commands.pause(run, pause.epoch(), pause.now());
        case OutboxEffect.Stop stop -> {
          commands.cancel(run, stop.reason());
          progress.nextBecomes(stop.told(Instant.now().plus(RunnerStopper.GRACE)));
          return;
        }
        case OutboxEffect.Publish _,
            OutboxEffect.Kill _,
            OutboxEffect.Launch _,
            OutboxEffect.AwaitEnd _ -> {
          return;
        }
      }
      progress.done++;
    }
  }
}
