/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.outbox.OutboxCompletions;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.reconcile.PauseMode;
import dev.baton.orchestrator.reconcile.RunObservation;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pauses runs. A run with a runner is paused by the runner: after the step in progress, or at once.
 * A run without a runner is paused here. A requested pause survives failovers until a resume.
 */
@ApplicationScoped
public class RunPauseService {
  /** The request is stored and will be performed, so a caller need not wait longer. */
  private static final Duration TOLD = Duration.ofSeconds(2);

  private final RunRequestService requests;
  private final OutboxCompletions awaited;

  RunPauseService(RunRequestService requests, OutboxCompletions awaited) {
    this.requests = requests;
    this.awaited = awaited;
  }

  /**
   * Idempotent; fails with a problem when the run cannot be paused. Completes when the runner has
   * received the request, so that no step starts afterwards; after 2 s it completes anyway, and the
   * runner receives the request later.
   *
   * @param now stops the step in progress, which runs again when the run is resumed
   * @param by name of the requester, which is not verified; null when the request states none
   */
  public Uni<Void> pause(String run, boolean now, @Nullable String by, Caller caller) {
    ControlTextValidator.check("by", by);
    PauseMode mode = now ? PauseMode.NOW : PauseMode.STEP;
    return requests
        .perform(run, new RunObservation.PauseRequested(mode, caller.author(by)))
        .call(
            () ->
                awaited
                    .firstDone(List.of(run), TOLD)
                    .onFailure(TimeoutException.class)
                    .recoverWithNull())
        .replaceWithVoid();
  }
}
