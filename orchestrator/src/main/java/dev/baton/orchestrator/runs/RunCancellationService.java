/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.reconcile.RunObservation;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import org.jspecify.annotations.Nullable;

/** Cancels runs. An ended run that is queued to be resumed only leaves the queue. */
@ApplicationScoped
public class RunCancellationService {
  private final RunRequestService requests;

  RunCancellationService(RunRequestService requests) {
    this.requests = requests;
  }

  /** Idempotent; fails with a problem when the run has ended. */
  public Uni<Void> cancel(String run, @Nullable String reason) {
    ControlTextValidator.check("reason", reason);
    return requests.perform(run, new RunObservation.CancelRequested(reason)).replaceWithVoid();
  }
}
