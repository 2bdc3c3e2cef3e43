/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.failover.RunnerExitPublisher;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.protocol.grpc.Released;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** Handles a run that a runner releases. */
@ApplicationScoped
class RunReleaseHandler {
  private static final Logger LOG = Logger.getLogger(RunReleaseHandler.class);

  private final RunnerRegistry attachments;
  private final RunnerExitPublisher gone;

  RunReleaseHandler(RunnerRegistry attachments, RunnerExitPublisher gone) {
    this.attachments = attachments;
    this.gone = gone;
  }

  void released(RunnerConnection runner, Released released) {
    if (!attachments.release(runner, released.getRun(), released.getEpoch())) {
      LOG.debugf(
          "runner %s released %s, which it did not hold", runner.runner(), released.getRun());
      return;
    }
    gone.released(
        released.getRun(),
        new RunObservation.RunnerReleased(
            runner.runner(), released.getEpoch(), released.getOutcome(), runner.leaving()));
  }
}
