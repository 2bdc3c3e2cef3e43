/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import com.fasterxml.jackson.databind.node.BooleanNode;
import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerLost;
import dev.baton.orchestrator.reconcile.RunObservation.TraceKnowledge;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One run with its row, outbox, trace, projection, runners and signals, all in memory: every source
 * of observations acts in an order that a seed chooses, and signals, effects and the projection are
 * late, repeated and reordered. Not thread-safe.
 */
final class SimulatedRun {
  private static final RunPlanner PLANNER = new RunPlanner(4);

  /** A runner process, or a runner behind a network partition. */
  private static final class Runner {
    boolean alive = true;
    boolean reachable = true;
    boolean suspended;
    boolean pauseAsked;
    boolean started;
  }

  private enum LogState {
    OPEN,
    PAUSED,
    PARKED,
    ENDED
  }

  final List<String> history = new ArrayList<>();
  private final RandomGenerator random;
  private Instant now = RandomRuns.NOW;
  private RunControl row;
  private final boolean limited;
  private final boolean never;

  // Written by the projection.
  private int startedEpoch;
  private long completed;

  // The trace, as far as it matters here.
  private int fence;
  private long lastSeq = 1;
  private LogState log = LogState.OPEN;
  private long logCompleted;
  private int logStarted;
  private @Nullable Instant logResumeAt;
  private boolean behind;
  private LogState projected = LogState.OPEN;
  private int projectedFence;

  private final Deque<Deque<OutboxEffect>> outbox = new ArrayDeque<>();
  private final Map<Integer, Runner> runners = new TreeMap<>();
  private final List<RunnerSignal> signals = new ArrayList<>();

  SimulatedRun(RandomGenerator random) {
    this.random = random;
    this.limited = random.nextInt(3) == 0;
    this.never = random.nextInt(5) == 0;
    this.row =
        new RunControl(
            1,
            1,
            limited ? 1 : 2,
            DesiredState.RUNNING,
            null,
            RunStatus.PENDING,
            false,
            null,
            null,
            limited ? QueuedEpoch.first() : null,
            RunControl.FailoverCount.none(0),
            null,
            null,
            null);
    if (!limited) {
      outbox.add(new ArrayDeque<>(OutboxEffect.firstEpoch(2, now)));
    }
  }

  /** Lets one source act. */
  void act() {
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4 -> performEffect();
      case 5, 6, 7 -> project();
      case 8, 9, 10 -> runnerActs();
      case 11 -> runnerDies();
      case 12 -> runnerIsCutOff();
      case 13, 14 -> signal();
      case 15 -> {
        now = now.plusMillis(random.nextInt(5_000));
        observe(new RunObservation.TimePassed());
      }
      case 16 -> observe(new RunObservation.PlaceFreed());
      case 17 -> user();
      case 18 -> observe(resume());
      default -> reconnect();
    }
  }

  private void user() {
    switch (random.nextInt(8)) {
      case 0 -> observe(new RunObservation.CancelRequested(null));
      case 1, 2, 3 ->
          observe(
              new RunObservation.PauseRequested(
                  random.nextBoolean() ? PauseMode.NOW : PauseMode.STEP, null));
      case 4 -> observe(new RunObservation.HurryRequested(null));
      default ->
          observe(
              new RunObservation.ApprovalAnswered(
                  new TraceEvent.ApprovalAnswered("ok", "a", BooleanNode.TRUE, null, null, null)));
    }
  }

  private RunObservation resume() {
    return new RunObservation.ResumeRequested(null, row.epoch(), null, null);
  }

  private RunPlan observe(RunObservation observed) {
    RunPlan plan = PLANNER.plan(runRow(), observed, now);
    check(plan.next().epoch() >= row.epoch(), "the epoch went back: %s", plan);
    if (observed instanceof RunnerLost lost && plan.hasChange()) {
      check(lost.signal().epoch() == row.epoch(), "a signal of an older epoch: %s", plan);
    }
    if (plan.hasChange()) {
      history.add(observed + " -> " + plan.outcome());
      row = plan.next();
      if (!plan.effects().isEmpty()) {
        outbox.add(new ArrayDeque<>(plan.effects()));
      }
    }
    return plan;
  }

  private RunRow runRow() {
    return new RunRow(
        RandomRuns.RUN,
        row,
        new RunRow.Facts(
            RunKind.MANAGED,
            never ? "never" : "always",
            null,
            "w",
            "h",
            limited,
            true,
            false,
            !outbox.isEmpty(),
            false,
            startedEpoch,
            completed > 0,
            completed,
            new TreeSet<>(List.of("a")),
            null));
  }

  /** Performs the first effect of the first row; after a crash it is performed again. */
  private void performEffect() {
    Deque<OutboxEffect> first = outbox.peek();
    if (first == null) {
      return;
    }
    OutboxEffect effect = first.element();
    perform(effect);
    if (random.nextInt(6) == 0) {
      perform(effect);
    }
    first.remove();
    if (first.isEmpty()) {
      outbox.remove();
    }
  }

  private void perform(OutboxEffect effect) {
    history.add("effect " + effect);
    switch (effect) {
      case OutboxEffect.Publish publish -> publish(publish);
      case OutboxEffect.Kill(int below) ->
          runners.forEach(
              (epoch, runner) -> {
                if (epoch < below && runner.reachable) {
                  runner.alive = false;
                }
              });
      case OutboxEffect.Launch(int epoch) -> launch(epoch);
      case OutboxEffect.Pause(int epoch, boolean _) -> {
        Runner runner = runners.get(epoch);
        if (runner != null) {
          runner.pauseAsked = true;
        }
      }
      case OutboxEffect.Stop(int epoch, String _) ->
          runners.forEach((of, runner) -> runner.alive &= of > epoch || !runner.reachable);
      case OutboxEffect.Deliver _, OutboxEffect.AwaitEnd _ -> {}
    }
  }

  private void publish(OutboxEffect.Publish event) {
    if (event.seq() <= lastSeq) {
      return; // The fold drops a duplicate.
    }
    check(event.seq() == lastSeq + 1, "gap in the control lane: %d after %d", event.seq(), lastSeq);
    lastSeq = event.seq();
    behind = true;
    String type = event.type().substring(event.type().lastIndexOf('.') + 1);
    switch (type) {
      case "runner_assigned" -> {
        boolean again = event.data().get("reason").textValue().equals("resume");
        if (log != LogState.ENDED || again) {
          int epoch = event.data().get("epoch").intValue();
          check(epoch > fence, "fence %d after %d", epoch, fence);
          fence = epoch;
          log = LogState.OPEN;
        }
      }
      case "pause_requested" -> {
        if (log != LogState.ENDED && event.data().get("idle").booleanValue()) {
          log = LogState.PAUSED;
        }
      }
      case "run_cancelled", "run_lost" -> log = LogState.ENDED;
      default -> {}
    }
  }

  private void launch(int epoch) {
    if (!runRow().wantsRunner(epoch) || row.runner() != null) {
      return;
    }
    check(fence == epoch || log == LogState.ENDED, "launch of %d, fence %d", epoch, fence);
    check(!runners.containsKey(epoch), "epoch %d was launched twice", epoch);
    Runner runner = new Runner();
    runner.pauseAsked = row.pause() != null;
    runners.put(epoch, runner);
    RunControl.Change next = row.change();
    next.runner = "r-" + epoch;
    row = next.done();
  }

  /** The projection reads the trace to its end. */
  private void project() {
    if (!behind) {
      return;
    }
    behind = false;
    startedEpoch = Math.max(startedEpoch, logStarted);
    completed = logCompleted;
    if (log == projected && fence == projectedFence) {
      return; // Columns that a resume may have set are kept.
    }
    projected = log;
    projectedFence = fence;
    RunControl.Change next = row.change();
    next.ended = log == LogState.ENDED;
    if (next.ended) {
      next.status = RunStatus.FAILED;
    } else if (log == LogState.PAUSED && row.epoch() == fence) {
      next.status = RunStatus.PAUSED;
    } else if (row.desired() != DesiredState.PAUSED && row.status() != RunStatus.RESUMING) {
      next.status = row.epoch() > fence ? RunStatus.INTERRUPTED : RunStatus.RUNNING;
    }
    if (log == LogState.PARKED && row.epoch() == fence && row.parked() == null) {
      next.runner = null;
      next.parked = new RunControl.ParkedWait(fence, now, row.pause() == null ? logResumeAt : now);
    }
    row = next.done();
  }

  /** A runner writes to the trace; what a fenced one writes does not count. */
  private void runnerActs() {
    for (Map.Entry<Integer, Runner> entry : Map.copyOf(runners).entrySet()) {
      Runner runner = entry.getValue();
      if (!runner.alive || runner.suspended || !runner.reachable || random.nextBoolean()) {
        continue;
      }
      int epoch = entry.getKey();
      if (epoch != fence || log != LogState.OPEN) {
        runner.alive = false; // It learns that it is fenced, or that the run has ended.
        continue;
      }
      acts(epoch, runner);
    }
  }

  private void acts(int epoch, Runner runner) {
    behind = true;
    if (!runner.started) {
      runner.started = true;
      logStarted = epoch;
      return;
    }
    if (runner.pauseAsked) {
      log = LogState.PAUSED;
      runner.alive = false;
      return;
    }
    switch (random.nextInt(8)) {
      case 0 -> {
        log = LogState.ENDED;
        runner.alive = false;
      }
      case 1, 2 -> {
        log = LogState.PARKED;
        logResumeAt = random.nextBoolean() ? now.plusMillis(random.nextInt(9_000)) : null;
        runner.alive = false;
      }
      default -> logCompleted++;
    }
  }

  private void runnerDies() {
    runners.forEach(
        (epoch, runner) -> {
          if (runner.alive && runner.reachable) {
            runner.alive = false;
            lost(new RunnerSignal.RunnerExited(RandomRuns.RUN, epoch, "r-" + epoch, 137));
          }
        });
  }

  private void runnerIsCutOff() {
    runners.forEach(
        (epoch, runner) -> {
          if (runner.alive) {
            runner.reachable = false;
            runner.suspended = true;
            lost(
                new RunnerSignal.HeartbeatsMissed(
                    RandomRuns.RUN, epoch, "r-" + epoch, 3_000, 3_000));
          }
        });
  }

  private void lost(RunnerSignal signal) {
    signals.add(signal);
    if (random.nextInt(3) == 0) {
      signals.add(signal);
    }
  }

  /** Handles any pending signal, or an old one again. */
  private void signal() {
    if (signals.isEmpty()) {
      return;
    }
    int i = random.nextInt(signals.size());
    handle(random.nextInt(5) == 0 ? signals.get(i) : signals.remove(i));
  }

  private void handle(RunnerSignal signal) {
    RunPlan plan =
        observe(
            new RunnerLost(
                signal, Duration.ofMillis(random.nextInt(2_000)), TraceKnowledge.FIRST_LOOK));
    if (plan.outcome() instanceof RunOutcome.LookAgain) {
      project();
      observe(new RunnerLost(signal, Duration.ZERO, TraceKnowledge.CAUGHT_UP));
    }
  }

  private void reconnect() {
    Map.copyOf(runners)
        .forEach(
            (epoch, runner) -> {
              if (!runner.alive || !runner.suspended) {
                return;
              }
              runner.reachable = true;
              RunOutcome answer =
                  observe(new RunObservation.RunnerReconnected("r-" + epoch, epoch)).outcome();
              if (answer instanceof RunOutcome.Replied(RunOutcome.RunnerReply reply)
                  && reply == RunOutcome.RunnerReply.CONFIRM) {
                check(epoch == row.epoch(), "confirmed %d of %d", epoch, row.epoch());
                runner.suspended = false;
              } else {
                runner.alive = false;
              }
            });
  }

  /** Lets all that is pending happen, with no more faults, and then checks the state. */
  void settle() {
    for (int i = 0; i < 60; i++) {
      reconnect();
      while (!outbox.isEmpty()) {
        performEffect();
      }
      project();
      while (!signals.isEmpty()) {
        handle(signals.removeFirst());
      }
      observe(new RunObservation.PlaceFreed());
      now = now.plusSeconds(60);
      observe(new RunObservation.TimePassed());
      runners.forEach(
          (epoch, runner) -> {
            if (runner.alive && (epoch != fence || log != LogState.OPEN)) {
              runner.alive = false;
            } else if (runner.alive && runner.pauseAsked) {
              log = LogState.PAUSED;
              behind = true;
              runner.alive = false;
            }
          });
      // Liveness reports a silent runner of the current epoch again and again.
      if (row.runner() != null && !live(row.epoch())) {
        signals.add(
            new RunnerSignal.HeartbeatsMissed(
                RandomRuns.RUN, row.epoch(), row.runner(), 60_000, 3_000));
      }
    }
    project();
    checkSettled();
  }

  private boolean live(int epoch) {
    Runner runner = runners.get(epoch);
    return runner != null && runner.alive;
  }

  /** Two runners that both hold the current epoch, or act, must never exist. */
  void checkNow() {
    long acting =
        runners.entrySet().stream()
            .filter(e -> e.getValue().alive && !e.getValue().suspended && e.getKey() == fence)
            .count();
    check(acting <= 1, "%d runners act", acting);
    check(row.epoch() >= fence, "the row is in epoch %d, the trace in %d", row.epoch(), fence);
  }

  private void checkSettled() {
    checkNow();
    check(outbox.isEmpty(), "effects are left");
    long alive = runners.values().stream().filter(runner -> runner.alive).count();
    boolean wants = runRow().wantsRunner(row.epoch());
    if (wants) {
      check(alive == 1 && live(row.epoch()), "the run requires a runner, %d are alive", alive);
      check(fence == row.epoch(), "the row is in epoch %d, the trace in %d", row.epoch(), fence);
    } else {
      check(alive == 0, "%d runners of a run that requires none", alive);
      check(
          row.ended()
              || row.desired() == DesiredState.PAUSED
              || row.status() == RunStatus.PAUSED
              || runRow().isParked(),
          "the run has no runner, and no reason");
    }
    if (row.desired().isFinal()) {
      check(row.ended(), "%s, but has not ended", row.desired());
    }
    if (log == LogState.ENDED) {
      check(row.ended(), "the trace has ended, the row has not");
    }
  }

  private void check(boolean holds, String otherwise, @Nullable Object... of) {
    if (!holds) {
      throw new AssertionError(
          otherwise.formatted(of)
              + "\nrow "
              + row
              + "\nlog "
              + log
              + " fence "
              + fence
              + "\n"
              + String.join("\n", history));
    }
  }
}
