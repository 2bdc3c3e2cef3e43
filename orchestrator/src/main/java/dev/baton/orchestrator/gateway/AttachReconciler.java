/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseVerdict;
import dev.baton.orchestrator.failover.RunnerExitPublisher;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.projection.ProjectionBarrier;
import dev.baton.orchestrator.reconcile.PauseMode;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerAttached;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunOutcome.Replied;
import dev.baton.orchestrator.reconcile.RunOutcome.RunnerReply;
import dev.baton.orchestrator.reconcile.RunPlanner;
import dev.baton.orchestrator.reconcile.RunTransaction;
import dev.baton.protocol.grpc.Cancel;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.grpc.Hello;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Reconciles an attaching runner: compares the runs it reports with those assigned to it in
 * Postgres, and sends every message it missed while its stream was broken. The rows {@code
 * RunnerAttached} of the table of {@link RunPlanner} decide; a run without a valid lease is fenced.
 */
@ApplicationScoped
class AttachReconciler {
  private static final Logger LOG = Logger.getLogger(AttachReconciler.class);
  private static final Duration CATCH_UP = Duration.ofSeconds(30);
  private static final Duration SQL = Duration.ofSeconds(10);

  private final RunnerRegistry attachments;
  private final RunControlStateLoader contexts;
  private final RunTransaction runs;
  private final RunAssignmentFactory assignments;
  private final RunnerExitPublisher gone;
  private final ProjectionBarrier catchUp;
  private final Event<RunnerSlotsFreedEvent> slots;
  private final LeaseAuthenticator leases;

  AttachReconciler(
      RunnerRegistry attachments,
      RunControlStateLoader contexts,
      RunTransaction runs,
      RunAssignmentFactory assignments,
      RunnerExitPublisher gone,
      ProjectionBarrier catchUp,
      Event<RunnerSlotsFreedEvent> slots,
      LeaseAuthenticator leases) {
    this.attachments = attachments;
    this.contexts = contexts;
    this.runs = runs;
    this.assignments = assignments;
    this.gone = gone;
    this.catchUp = catchUp;
    this.slots = slots;
    this.leases = leases;
  }

  Uni<Void> greet(RunnerConnection runner, Hello hello) {
    List<String> tokens =
        hello.getHeldList().stream().map(Held::getLease).filter(token -> !token.isEmpty()).toList();
    return leases
        .learn(tokens)
        .ifNoItem()
        .after(SQL)
        .fail()
        .chain(() -> greetHolder(runner, vouchedFor(runner, hello)));
  }

  /** Removes the runs for which the runner has no valid lease, and sends it fenced for them. */
  private Hello vouchedFor(RunnerConnection runner, Hello hello) {
    Hello.Builder vouched = hello.toBuilder().clearHeld();
    for (Held held : hello.getHeldList()) {
      if (leases.check(held.getLease(), held.getRun(), held.getEpoch())
          instanceof LeaseVerdict.Refused refusal) {
        leases.refused("runner " + runner.runner(), held.getRun(), refusal);
        runner.send(fenced(held));
      } else {
        vouched.addHeld(held);
      }
    }
    return vouched.build();
  }

  private Uni<Void> greetHolder(RunnerConnection runner, Hello hello) {
    List<String> named = hello.getHeldList().stream().map(Held::getRun).toList();
    // Registered as the holder before its runs are read, so that an answer committed meanwhile is
    // sent to it.
    for (Held held : hello.getHeldList()) {
      attachments.adopt(runner, held.getRun(), held.getEpoch());
    }
    return contexts
        .loadOf(runner.runner(), named)
        .ifNoItem()
        .after(SQL)
        .fail()
        .chain(known -> settle(runner, hello, known))
        .invoke(
            () -> {
              if (!attachments.add(runner)) {
                LOG.infof("runner %s detached during its attach", runner.runner());
                return;
              }
              LOG.infof(
                  "runner %s attached (pid %d, %d slots, carries %d)",
                  runner.runner(), runner.pid(), hello.getSlots(), hello.getHeldCount());
              slots.fire(new RunnerSlotsFreedEvent());
            });
  }

  /** Reconciles an attached runner: sends every message it missed. */
  Uni<Void> again(RunnerConnection runner) {
    Hello.Builder hello = Hello.newBuilder().setRunnerId(runner.runner());
    runner
        .runs()
        .forEach(
            (run, epoch) ->
                hello.addHeld(Held.newBuilder().setRun(run).setEpoch(epoch).setStarted(true)));
    List<String> named = hello.getHeldList().stream().map(Held::getRun).toList();
    return contexts
        .loadOf(runner.runner(), named)
        .ifNoItem()
        .after(SQL)
        .fail()
        .chain(known -> settle(runner, hello.build(), known));
  }

  private Uni<Void> settle(
      RunnerConnection runner, Hello hello, Map<String, RunControlState> known) {
    List<Uni<Void>> assigning = new ArrayList<>();
    Set<String> named = new HashSet<>();
    for (Held held : hello.getHeldList()) {
      named.add(held.getRun());
      RunControlState run = known.get(held.getRun());
      RunnerReply reply = run == null ? RunnerReply.FENCE : reply(run, held);
      switch (reply) {
        case ASSIGN -> assigning.add(assign(runner, Objects.requireNonNull(run)));
        case MISSED_MESSAGES -> sendMissed(runner, Objects.requireNonNull(run));
        case CANCEL -> dismiss(runner, held, cancel(held));
        case FENCE -> dismiss(runner, held, fenced(held));
        case CONFIRM, CATCH_UP, NONE -> throw new IllegalStateException("reply " + reply);
      }
    }
    for (RunControlState run : known.values()) {
      if (!named.contains(run.run()) && missing(run, false) instanceof Replied(RunnerReply reply)) {
        if (reply == RunnerReply.CATCH_UP) {
          Thread.ofVirtual().name("missing-" + run.run()).start(() -> missing(runner, run));
        }
      }
    }
    return assigning.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.join().all(assigning).andFailFast().replaceWithVoid();
  }

  private RunnerReply reply(RunControlState run, Held held) {
    RunObservation observed =
        new RunnerAttached(new RunnerAttached.HeldRun(held.getEpoch(), held.getStarted()), false);
    return runs.plan(run.row(), observed).outcome() instanceof Replied(RunnerReply reply)
        ? reply
        : RunnerReply.NONE;
  }

  private RunOutcome missing(RunControlState run, boolean caughtUp) {
    return runs.plan(run.row(), new RunnerAttached(null, caughtUp)).outcome();
  }

  /** Blocks. */
  private void missing(RunnerConnection runner, RunControlState before) {
    try {
      catchUp.await(List.of(before.run()), CATCH_UP);
      RunControlState run =
          contexts.load(List.of(before.run())).await().atMost(SQL).get(before.run());
      if (run == null || run.epoch() != before.epoch() || runner.runs().containsKey(run.run())) {
        return;
      }
      switch (missing(run, true)) {
        case Replied(RunnerReply reply) when reply == RunnerReply.ASSIGN ->
            assign(runner, run).await().atMost(SQL);
        case RunOutcome.Reported _ -> gone.lostByRunner(run.run(), run.epoch(), runner.runner());
        default -> {}
      }
    } catch (RuntimeException e) {
      // The launch timeout still applies.
      LOG.warnf("run %s: cannot check whether its runner still carries it: %s", before.run(), e);
    }
  }

  private Uni<Void> assign(RunnerConnection runner, RunControlState run) {
    return assignments
        .assign(run)
        .invoke(
            assign -> {
              if (attachments.adopt(runner, run.run(), run.epoch())) {
                runner.send(GatewayMessage.newBuilder().setAssign(assign).build());
              }
            })
        // The runner ignores an answer that arrives before the assignment, so all are sent again.
        .chain(() -> contexts.load(List.of(run.run())))
        .invoke(again -> again.values().forEach(now -> sendMissed(runner, now)))
        .replaceWithVoid();
  }

  private static void sendMissed(RunnerConnection runner, RunControlState run) {
    run.answers()
        .forEach(answer -> runner.send(GatewayMessage.newBuilder().setAnswer(answer).build()));
    PauseMode pause = run.pause();
    if (pause != null) {
      runner.send(RunnerRegistry.pauseMessage(run.run(), run.epoch(), pause == PauseMode.NOW));
    }
  }

  private void dismiss(RunnerConnection runner, Held held, GatewayMessage message) {
    attachments.release(runner, held.getRun(), held.getEpoch());
    runner.send(message);
  }

  private static GatewayMessage cancel(Held held) {
    return GatewayMessage.newBuilder()
        .setCancel(Cancel.newBuilder().setRun(held.getRun()).setReason("cancelled"))
        .build();
  }

  private static GatewayMessage fenced(Held held) {
    return GatewayMessage.newBuilder()
        .setFenced(Fenced.newBuilder().setRun(held.getRun()).setEpoch(held.getEpoch()))
        .build();
  }
}
