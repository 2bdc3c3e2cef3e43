/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.state.ControlGap;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.IsolationMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Generates rows and observations, likely or not. */
final class RandomRuns {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  static final String RUN = "01arz3ndektsv4rrffq69g5fav";

  private final RandomGenerator random;

  RandomRuns(RandomGenerator random) {
    this.random = random;
  }

  RunRow row() {
    int epoch = 1 + random.nextInt(4);
    RunControl control =
        new RunControl(
            epoch,
            1 + random.nextInt(epoch),
            1 + random.nextInt(20),
            random.nextInt(2) == 0 ? DesiredState.RUNNING : of(DesiredState.values()),
            random.nextInt(3) == 0 ? of(PauseMode.values()) : null,
            of(RunStatus.values()),
            random.nextInt(4) == 0,
            random.nextBoolean() ? "r-" + epoch : null,
            random.nextInt(4) == 0
                ? new RunControl.ParkedWait(
                    random.nextInt(6) == 0
                        ? RunControl.ParkedWait.GAP
                        : Math.max(1, epoch - random.nextInt(2)),
                    NOW.minusMillis(random.nextInt(9_000)),
                    time())
                : null,
            random.nextInt(5) == 0 ? queued(epoch) : null,
            new RunControl.FailoverCount(
                random.nextInt(6),
                random.nextInt(3),
                new RunnerDeathStreak(random.nextInt(4), steps())),
            time(),
            random.nextInt(4) == 0
                ? new RunControl.Confirmation(
                    Math.max(1, epoch - random.nextInt(2)), NOW.minusMillis(random.nextInt(5_000)))
                : null,
            null);
    return new RunRow(RUN, control, facts(epoch));
  }

  private RunRow.Facts facts(int epoch) {
    return new RunRow.Facts(
        random.nextInt(5) == 0 ? RunKind.EXTERNAL : RunKind.MANAGED,
        random.nextInt(4) == 0 ? "never" : "always",
        time(),
        "w",
        "hash",
        random.nextBoolean(),
        random.nextInt(8) > 0,
        random.nextInt(8) == 0,
        random.nextBoolean(),
        random.nextInt(4) == 0,
        random.nextInt(epoch + 1),
        random.nextBoolean(),
        random.nextInt(4),
        steps(),
        random.nextInt(3) > 0 ? new ControlGap(2, 4) : null);
  }

  private QueuedEpoch queued(int epoch) {
    int number = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : epoch + 1;
    return new QueuedEpoch(
        number,
        number == 1
            ? OutboxEffect.firstEpoch(0, NOW)
            : OutboxEffect.newEpoch(new TraceEvent.RunnerAssigned(number, null, "resume"), 0, NOW),
        random.nextBoolean() ? null : new QueuedEpoch.NewDefinition("other", IsolationMode.SHARED));
  }

  RunObservation observation(int epoch) {
    int about = Math.max(1, epoch - random.nextInt(3) / 2);
    return switch (random.nextInt(12)) {
      case 0, 1 ->
          new RunObservation.RunnerLost(
              signal(about),
              Duration.ofMillis(random.nextInt(3_000)),
              of(RunObservation.TraceKnowledge.values()));
      case 2 -> new RunObservation.TimePassed();
      case 3 -> new RunObservation.PlaceFreed();
      case 4 ->
          new RunObservation.ApprovalAnswered(
              new TraceEvent.ApprovalAnswered(
                  "ok",
                  RUN + "-ok-1",
                  com.fasterxml.jackson.databind.node.BooleanNode.TRUE,
                  null,
                  null,
                  null));
      case 5 -> new RunObservation.CancelRequested(random.nextBoolean() ? "enough" : null);
      case 6 -> new RunObservation.PauseRequested(of(PauseMode.values()), "me");
      case 7 -> new RunObservation.HurryRequested(random.nextBoolean() ? "w" : null);
      case 8 ->
          new RunObservation.ResumeRequested(
              random.nextInt(4) == 0 ? "v" : null,
              random.nextBoolean() ? epoch : null,
              random.nextBoolean()
                  ? null
                  : new TraceEvent.ResumeRequested(
                      null, null, null, java.util.Map.of(), List.of(), null, List.of(), null),
              null);
      case 9 -> new RunObservation.RunnerReconnected("r-" + about, about);
      case 10 ->
          new RunObservation.RunnerAttached(
              random.nextBoolean()
                  ? null
                  : new RunObservation.RunnerAttached.HeldRun(about, random.nextBoolean()),
              random.nextBoolean());
      default ->
          new RunObservation.RunnerReleased(
              "r-" + epoch,
              about,
              of(new String[] {"stopped", "broken", "unavailable", "completed"}),
              random.nextBoolean() ? null : "max_lifetime");
    };
  }

  private RunnerSignal signal(int epoch) {
    return switch (random.nextInt(3)) {
      case 0 ->
          new RunnerSignal.RunnerExited(
              RUN, epoch, "r", of(new Integer[] {null, 0, 3, 69, 70, 74, 137}));
      case 1 -> new RunnerSignal.RunnerLeft(RUN, epoch, "r", "max_lifetime");
      default -> new RunnerSignal.HeartbeatsMissed(RUN, epoch, "r", 3_100, 3_000);
    };
  }

  private @Nullable Instant time() {
    return switch (random.nextInt(4)) {
      case 0 -> NOW.minusSeconds(random.nextInt(60));
      case 1 -> NOW.plusSeconds(1 + random.nextInt(60));
      default -> null;
    };
  }

  private SortedSet<String> steps() {
    SortedSet<String> steps = new TreeSet<>();
    for (String step : List.of("a", "b")) {
      if (random.nextBoolean()) {
        steps.add(step);
      }
    }
    return steps;
  }

  private <T extends @Nullable Object> T of(T[] values) {
    return values[random.nextInt(values.length)];
  }
}
