/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.queue.RunAdmissionController;
import dev.baton.orchestrator.reconcile.QueuedEpoch;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunPlan;
import dev.baton.orchestrator.reconcile.RunRow;
import dev.baton.orchestrator.workflows.StoredWorkflowDefinition;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Resumes a failed, lost or paused run in its next epoch: with the step that failed, which gets all
 * its attempts again, or with the next step. A run in a crash loop gets its delayed runner at once.
 * Completed steps do not run again unless that is requested.
 */
@ApplicationScoped
public class RunResumeService {
  private final RunRequestService requests;
  private final RunAdmissionController admission;
  private final RunQueryService queries;
  private final RunResumePlanner planner;

  RunResumeService(
      RunRequestService requests,
      RunAdmissionController admission,
      RunQueryService queries,
      RunResumePlanner planner) {
    this.admission = admission;
    this.requests = requests;
    this.queries = queries;
    this.planner = planner;
  }

  /**
   * Fails with a problem when the run cannot be resumed.
   *
   * @param id of the run, or its last six characters
   * @param access of the caller; a definition in the request needs the role for all projects
   * @param workflow {@code name} or {@code name@hash} that the run must have; null: any
   */
  public Uni<RunView> resume(
      String id, @Nullable String workflow, ResumeRequest asked, ProjectAccess access) {
    asked.check();
    if (asked.definition() != null) {
      access.requireEverywhere("a definition is stored for all projects");
    }
    Executor caller = RunResumePlanner.caller();
    return queries
        .resolve(id, access)
        .call(
            run ->
                asked.isPlain()
                    ? plainly(run, workflow, caller)
                    : planned(run, workflow, asked.by(access.caller()), caller))
        .invoke(admission::wake)
        .chain(queries::get);
  }

  /**
   * Starts the next runner of a run in a crash loop at once, or resumes the run without changes.
   */
  private Uni<Void> plainly(String run, @Nullable String workflow, Executor caller) {
    return requests
        .perform(run, new RunObservation.HurryRequested(workflow))
        .chain(
            plan ->
                plan.hasChange()
                    ? Uni.createFrom().voidItem()
                    : resume(run, workflow, row -> planner.plain(run, caller)));
  }

  private Uni<Void> planned(
      String run, @Nullable String workflow, ResumeRequest asked, Executor caller) {
    return resume(run, workflow, row -> planner.plan(run, definition(row), asked, caller));
  }

  /** Performs the plan only if the run is still in the epoch in which planning began. */
  private Uni<Void> resume(
      String run, @Nullable String workflow, Function<RunRow, Uni<RunResumePlanner.Plan>> plan) {
    return requests
        .check(run, new RunObservation.ResumeRequested(workflow, null, null, null))
        .map(RunPlan::before)
        .chain(row -> plan.apply(row).map(made -> requested(row, workflow, made)))
        .chain(request -> requests.perform(run, request))
        .replaceWithVoid();
  }

  private static RunObservation requested(
      RunRow seen, @Nullable String workflow, RunResumePlanner.Plan plan) {
    StoredWorkflowDefinition next = plan.definition();
    return new RunObservation.ResumeRequested(
        workflow,
        seen.control().epoch(),
        plan.event(),
        next == null
            ? null
            : new QueuedEpoch.NewDefinition(next.hash(), next.workflow().isolation()));
  }

  private static String definition(RunRow row) {
    String hash = row.facts().definitionHash();
    if (hash == null) {
      throw new ProblemException(
          ProblemKind.CONFLICT, "run %s has no definition".formatted(row.id()));
    }
    return hash;
  }
}
