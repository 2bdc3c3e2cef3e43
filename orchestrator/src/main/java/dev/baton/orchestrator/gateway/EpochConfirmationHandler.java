/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunPlan;
import dev.baton.orchestrator.reconcile.RunReconciler;
import dev.baton.protocol.grpc.Cancel;
import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.grpc.Confirmed;
import dev.baton.protocol.grpc.Fenced;
import dev.baton.protocol.grpc.GatewayMessage;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Enqueues a run whose runner was disconnected, has suspended the run and has reconnected, and
 * sends the runner the answer. The lock of the run's row orders a confirmation and a failover: the
 * one that commits first wins, the other sees it.
 */
@ApplicationScoped
class EpochConfirmationHandler {
  private static final Logger LOG = Logger.getLogger(EpochConfirmationHandler.class);
  private static final Duration SQL = Duration.ofSeconds(10);

  private final RunReconciler reconciler;

  EpochConfirmationHandler(RunReconciler reconciler) {
    this.reconciler = reconciler;
  }

  /** Sends the answer; when it cannot be determined, nothing is sent and the runner retries. */
  void answer(RunnerConnection runner, Confirm asked) {
    confirm(runner.runner(), asked)
        .subscribe()
        .with(
            answer -> {
              LOG.infof(
                  "run %s: runner %s has reconnected in epoch %d: %s",
                  asked.getRun(),
                  runner.runner(),
                  asked.getEpoch(),
                  answer.hasConfirmed() ? "confirmed" : "fenced or cancelled");
              runner.send(answer);
            },
            failure ->
                LOG.warnf(
                    "run %s: cannot check whether epoch %d is current: %s",
                    asked.getRun(), asked.getEpoch(), failure));
  }

  /** Confirms the epoch if the run is still desired to run in it, on this runner. */
  Uni<GatewayMessage> confirm(String runner, Confirm asked) {
    return reconciler
        .reconcile(asked.getRun(), new RunObservation.RunnerReconnected(runner, asked.getEpoch()))
        .map(plan -> plan.map(RunPlan::outcome).map(o -> message(asked, o)).orElse(fenced(asked)))
        .ifNoItem()
        .after(SQL)
        .fail();
  }

  private static GatewayMessage message(Confirm asked, RunOutcome outcome) {
    return switch (outcome) {
      case RunOutcome.Replied(RunOutcome.RunnerReply reply)
          when reply == RunOutcome.RunnerReply.CONFIRM ->
          confirmed(asked);
      case RunOutcome.Replied(RunOutcome.RunnerReply reply)
          when reply == RunOutcome.RunnerReply.CANCEL ->
          cancel(asked);
      default -> fenced(asked);
    };
  }

  private static GatewayMessage confirmed(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setConfirmed(
            Confirmed.newBuilder()
                .setRun(asked.getRun())
                .setEpoch(asked.getEpoch())
                .setSuspension(asked.getSuspension()))
        .build();
  }

  private static GatewayMessage cancel(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setCancel(Cancel.newBuilder().setRun(asked.getRun()).setReason("cancelled"))
        .build();
  }

  private static GatewayMessage fenced(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setFenced(Fenced.newBuilder().setRun(asked.getRun()).setEpoch(asked.getEpoch()))
        .build();
  }
}
