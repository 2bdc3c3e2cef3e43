/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;

/**
 * Stores the spec of a RunnerPool as a pool of its launcher, removes the pool with the resource,
 * and shows its runners: reads them every 5 s, and writes the status when it has changed.
 * Thread-safe.
 */
final class RunnerPoolResourceReconciler implements Reconciler<RunnerPoolCustomResource> {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private final OrchestratorClient orchestrator;
  private final String cluster;
  private final RunnerPoolStatusMapper statuses;

  /**
   * @param cluster address of the API server
   */
  RunnerPoolResourceReconciler(OrchestratorClient orchestrator, String cluster, Clock clock) {
    this.orchestrator = orchestrator;
    this.cluster = cluster;
    this.statuses = new RunnerPoolStatusMapper(clock);
  }

  @Override
  public UpdateControl<RunnerPoolCustomResource> reconcile(
      RunnerPoolCustomResource pool, Context<RunnerPoolCustomResource> context)
      throws UnavailableException {
    if (context.isPrimaryResourceDeleted() || pool.isMarkedForDeletion()) {
      orchestrator.removePool(pool.getMetadata().getUid());
      return UpdateControl.noUpdate();
    }
    RunnerPoolResourceStatus status = status(pool);
    if (status.equals(pool.getStatus())) {
      return UpdateControl.<RunnerPoolCustomResource>noUpdate().rescheduleAfter(LOOK_AGAIN);
    }
    RunnerPoolCustomResource patch = new RunnerPoolCustomResource();
    patch.setMetadata(
        new ObjectMetaBuilder()
            .withName(pool.getMetadata().getName())
            .withNamespace(pool.getMetadata().getNamespace())
            .build());
    patch.setStatus(status);
    return UpdateControl.patchStatus(patch).rescheduleAfter(LOOK_AGAIN);
  }

  /** Stores the pool; errors become a condition. */
  RunnerPoolResourceStatus status(RunnerPoolCustomResource pool) throws UnavailableException {
    String spec =
        pool.getSpec() == null
            ? "{}"
            : Objects.requireNonNull(Serialization.asJson(pool.getSpec()));
    try {
      return statuses.accepted(pool, orchestrator.putPool(ResourceKey.of(pool), cluster, spec));
    } catch (RejectedException e) {
      return statuses.rejected(
          pool,
          e.reason(),
          e.text(),
          orchestrator.readPool(pool.getMetadata().getUid()).orElse(null));
    }
  }
}
