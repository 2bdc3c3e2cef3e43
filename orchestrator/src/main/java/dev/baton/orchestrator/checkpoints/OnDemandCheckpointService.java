/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.events.StoredTraceClient;
import dev.baton.orchestrator.gateway.CheckpointRequestDispatcher;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.grpc.Cut;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Set;

/**
 * Requests a checkpoint from a run's runner and waits until its event is in the trace. From then on
 * it can be restored and is part of the run's history. Thread-safe.
 */
@ApplicationScoped
class OnDemandCheckpointService {
  private static final String SAVED = "dev.baton.checkpoint_saved";
  private static final String ASSIGNED = "dev.baton.runner_assigned";
  private static final Set<String> ENDS =
      Set.of(
          "dev.baton.run_completed",
          "dev.baton.run_failed",
          "dev.baton.run_cancelled",
          "dev.baton.run_lost");

  /** The result of a request. */
  sealed interface Made {
    record Saved(StoredCheckpointView checkpoint) implements Made {}

    /** The runner is still working on it, or has not reported the result yet. */
    record Underway(String id, String run) implements Made {}
  }

  private final RunQueryService runs;
  private final StoredTraceClient trace;
  private final CheckpointLookupService checkpoints;
  private final CheckpointRequestDispatcher requests;
  private final Duration patience;

  OnDemandCheckpointService(
      RunQueryService runs,
      StoredTraceClient trace,
      CheckpointLookupService checkpoints,
      CheckpointRequestDispatcher requests,
      OrchestratorConfig config) {
    this.runs = runs;
    this.trace = trace;
    this.checkpoints = checkpoints;
    this.requests = requests;
    this.patience = config.checkpoint().requestTimeout();
  }

  /** Fails with a problem when no runner carries the run, or its runner could not create one. */
  Uni<Made> make(String run, String trigger) {
    return runs.get(run)
        .chain(view -> newest(view).chain(position -> make(view, trigger, position)));
  }

  /** The position after which the new event is expected. */
  private Uni<Long> newest(RunView run) {
    if (run.endedAt() != null) {
      throw conflict(run, "only an active run can be checkpointed");
    }
    return trace
        .cuts(run.id())
        .map(cuts -> cuts.stream().mapToLong(Cut::getPosition).max().orElse(0));
  }

  private Uni<Made> make(RunView run, String trigger, long after) {
    String id = RunId.next();
    return requests
        .send(run.id(), trigger, id)
        .chain(
            sent ->
                await(
                    run,
                    after,
                    id,
                    sent.orElseThrow(() -> conflict(run, "no runner carries it now"))));
  }

  private Uni<Made> await(
      RunView run, long after, String id, CheckpointRequestDispatcher.Request request) {
    Uni<Boolean> saved =
        trace
            .follow(run.id(), after)
            .filter(event -> isSaved(event, id) || !refusal(event, run).isEmpty())
            .toUni()
            .map(event -> event != null && isSavedUnlessRefused(event, run));
    Uni<Boolean> refused =
        Uni.createFrom()
            .completionStage(request.failure())
            .map(
                reason -> {
                  throw new ProblemException(
                      ProblemKind.CHECKPOINT_FAILED,
                      "run %s: checkpoint failed: %s".formatted(run.id(), reason));
                });
    return Uni.join()
        .first(saved, refused)
        .toTerminate()
        .ifNoItem()
        .after(patience)
        .recoverWithItem(false)
        .onTermination()
        .invoke(request::close)
        .chain(known -> known ? found(id) : Uni.createFrom().item(underway(id, run)));
  }

  private Uni<Made> found(String id) {
    return checkpoints.get(id).map(Made.Saved::new);
  }

  private static Made underway(String id, RunView run) {
    return new Made.Underway(id, run.id());
  }

  private static boolean isSaved(Event event, String id) {
    return event.getType().equals(SAVED)
        && Json.tree(event.getData().toByteArray()).path("checkpoint").asText().equals(id);
  }

  /** Returns why the runner will not report the result any more; empty when it may. */
  private static String refusal(Event event, RunView run) {
    if (ENDS.contains(event.getType())) {
      return "the run ended before its runner reported the checkpoint";
    }
    boolean replaced =
        event.getType().equals(ASSIGNED)
            && Json.tree(event.getData().toByteArray()).path("epoch").asLong() > run.epoch();
    return replaced
        ? "its runner was replaced before it reported the checkpoint; repeat the request"
        : "";
  }

  private static boolean isSavedUnlessRefused(Event event, RunView run) {
    String refusal = refusal(event, run);
    if (!refusal.isEmpty()) {
      throw new ProblemException(
          ProblemKind.CHECKPOINT_FAILED, "run %s: %s".formatted(run.id(), refusal));
    }
    return true;
  }

  private static ProblemException conflict(RunView run, String why) {
    return new ProblemException(
        ProblemKind.CONFLICT, "run %s is %s: %s".formatted(run.id(), run.status(), why));
  }
}
