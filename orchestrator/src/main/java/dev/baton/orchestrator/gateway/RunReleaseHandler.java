/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.failover.RunnerExitPublisher;
import dev.baton.protocol.grpc.Released;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** Handles a run that a runner releases. */
@ApplicationScoped
class RunReleaseHandler {
  private static final Logger LOG = Logger.getLogger(RunReleaseHandler.class);

  private final RunnerRegistry attachments;
  private final RunnerExitPublisher gone;

  /** The exit codes that a runner of this single run would have ended with. */
  private static final int INTERNAL_ERROR = 70;

  private static final int UNAVAILABLE = 69;

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
    // The runner stops but the run continues: another runner must take over at once.
    switch (released.getOutcome()) {
      case "stopped" -> {
        String leaving = runner.leaving();
        if (leaving == null) {
          gone.lostByRunner(released.getRun(), released.getEpoch(), runner.runner());
        } else {
          gone.leftByRunner(released.getRun(), released.getEpoch(), runner.runner(), leaving);
        }
      }
      case "broken" -> lost(runner, released, INTERNAL_ERROR);
      case "unavailable" -> lost(runner, released, UNAVAILABLE);
      default -> {} // The run no longer needs a runner.
    }
  }

  private void lost(RunnerConnection runner, Released released, int exitCode) {
    gone.lostByRunner(released.getRun(), released.getEpoch(), runner.runner(), exitCode);
  }
}
