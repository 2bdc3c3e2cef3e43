/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import dev.baton.acceptance.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Attacks of a program that may write to the topics and has neither a key nor a lease. */
final class TraceAttackFamily {
  /** The largest that has as many digits as a seq may have. */
  private static final long LARGEST_SEQ = 999_999_999_999_999_999L;

  /** After run_created and runner_assigned. */
  private static final long NEXT_SEQ = 3;

  private static final Duration CANCEL = Duration.ofSeconds(20);
  private static final Duration LEAST_SILENCE = Duration.ofSeconds(15);
  private static final int KILL_SECONDS = 10;

  private TraceAttackFamily() {}

  static List<ReplayedAttack> attacks() {
    return List.of(
        new ReplayedAttack(
            "write a control event with the largest seq, so that a run cannot be cancelled",
            "cancelled",
            TraceAttackFamily::endTheControlLane),
        new ReplayedAttack(
            "write the control event run_cancelled", "completed", TraceAttackFamily::forgeACancel),
        new ReplayedAttack(
            "write the signal runner_exited of a live runner, so that its run fails over",
            "epoch 1",
            TraceAttackFamily::forgeAnExit),
        new ReplayedAttack(
            "write a heartbeat of the largest epoch, which hides the death of a runner",
            "failed over",
            TraceAttackFamily::hideADeath));
  }

  /** Waits until the record is a dead letter, or the condition holds. */
  private static void awaitJudged(VictimClient owner, String run, Await.Condition accepted) {
    Await.until(
        "the record is accepted or refused",
        VictimClient.LONG,
        () -> accepted.holds() || !owner.deadLetters(run).isEmpty());
  }

  private static AttackOutcome endTheControlLane(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String run = owner.startGated("last-seq", gate);
    try (RecordForger forger = new RecordForger(target.kafka())) {
      forger.control(
          run, LARGEST_SEQ, "labels_changed", "{\"schema\": 1, \"labels\": {\"forged\": \"yes\"}}");
    }
    awaitJudged(owner, run, () -> owner.types(run).contains("labels_changed"));
    owner.cancel(run);
    boolean cancelled =
        VictimClient.holdsWithin(CANCEL, () -> owner.status(run).equals("cancelled"));
    String refusals = String.join("; ", owner.deadLetters(run));
    Files.createFile(gate);
    return cancelled
        ? AttackOutcome.refused("cancelled; %s", refusals)
        : AttackOutcome.succeeded(
            "%s s after the cancel it is %s", CANCEL.toSeconds(), owner.status(run));
  }

  private static AttackOutcome forgeACancel(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String run = owner.startGated("forged-cancel", gate);
    try (RecordForger forger = new RecordForger(target.kafka())) {
      forger.control(run, NEXT_SEQ, "run_cancelled", "{\"schema\": 1, \"reason\": \"forged\"}");
    }
    awaitJudged(owner, run, () -> owner.status(run).equals("cancelled"));
    Files.createFile(gate);
    if (owner.status(run).equals("cancelled")) {
      return AttackOutcome.succeeded("the run is cancelled");
    }
    String refusals = String.join("; ", owner.deadLetters(run));
    owner.awaitStatus(run, "completed");
    return AttackOutcome.refused("completed; %s", refusals);
  }

  private static AttackOutcome forgeAnExit(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String run = owner.startGated("forged-exit", gate);
    String runner = owner.run(run).path("runner").path("id").asText();
    try (RecordForger forger = new RecordForger(target.kafka())) {
      forger.signal(
          run,
          "runner_exited",
          "{\"run\": \"%s\", \"epoch\": 1, \"runner\": \"%s\", \"exit_code\": 137}"
              .formatted(run, runner));
    }
    awaitJudged(owner, run, () -> owner.epoch(run) > 1);
    Files.createFile(gate);
    owner.awaitStatus(run, "completed");
    int epoch = owner.epoch(run);
    return epoch > 1
        ? AttackOutcome.succeeded("the run failed over to epoch %d", epoch)
        : AttackOutcome.refused(
            "completed in epoch 1; %s", String.join("; ", owner.deadLetters(run)));
  }

  private static AttackOutcome hideADeath(AttackTarget target) throws Exception {
    VictimClient owner = target.owner();
    Path gate = target.newFile("gate");
    String victim = owner.startGated("hidden-death", gate);
    String witness = owner.startGated("seen-death", gate);
    List<Long> stopped = new ArrayList<>();
    try (RecordForger forger = new RecordForger(target.kafka())) {
      forger.heartbeat(
          victim,
          """
          {"run": "%s", "epoch": %d, "runner": "none", "state": "running", "interval_ms": 1000,
           "timeout_ms": 3600000}\
          """
              .formatted(victim, Integer.MAX_VALUE));
      long begin = System.nanoTime();
      for (String run : List.of(victim, witness)) {
        long runner = owner.runnerPid(run);
        stopped.add(runner);
        // A runner that hangs: no launcher sees an exit.
        signal("-STOP", runner);
      }
      Await.until("the witness fails over", VictimClient.LONG, () -> owner.epoch(witness) > 1);
      Duration silence = Duration.ofNanos(System.nanoTime() - begin);
      Duration bound = max(silence.multipliedBy(2), LEAST_SILENCE);
      return VictimClient.holdsWithin(bound, () -> owner.epoch(victim) > 1)
          ? AttackOutcome.refused("failed over; %s", String.join("; ", owner.deadLetters(victim)))
          : AttackOutcome.succeeded(
              "%d s after another with the same fault it has not failed over", bound.toSeconds());
    } finally {
      for (long runner : stopped) {
        signal("-KILL", runner);
      }
      Files.createFile(gate);
      owner.cancelIfOpen(victim);
      owner.cancelIfOpen(witness);
    }
  }

  private static Duration max(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static void signal(String signal, long pid) throws Exception {
    Process kill = new ProcessBuilder("kill", signal, Long.toString(pid)).inheritIO().start();
    if (!kill.waitFor(KILL_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("kill does not end");
    }
  }
}
