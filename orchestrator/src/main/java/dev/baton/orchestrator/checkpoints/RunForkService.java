/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.NewRun;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunRequest;
import dev.baton.orchestrator.runs.RunService;
import dev.baton.orchestrator.workflows.WorkflowDefinitionCache;
import dev.baton.protocol.grpc.PrepareForkRequest;
import dev.baton.protocol.grpc.PrepareForkResponse;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.DefinitionChangeChecker;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.AgentChange;
import dev.baton.protocol.trace.ForkedFrom;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates runs that begin from a cut of another run. */
@ApplicationScoped
public class RunForkService {
  private final RunService service;
  private final RunQueryService runs;
  private final WorkflowDefinitionCache definitions;
  private final CheckpointLookupService checkpoints;
  private final CheckpointClient store;

  RunForkService(
      RunService service,
      RunQueryService runs,
      WorkflowDefinitionCache definitions,
      CheckpointLookupService checkpoints,
      CheckpointClient store) {
    this.service = service;
    this.runs = runs;
    this.definitions = definitions;
    this.checkpoints = checkpoints;
    this.store = store;
  }

  /**
   * @param id of the parent, or its last six characters
   */
  public Uni<IdempotentResponse> fork(
      String id, ForkRequest request, @Nullable IdempotencyKey key, ProjectAccess access) {
    check(request);
    return service
        .create(
            key,
            () ->
                runs.resolve(id, access)
                    .chain(runs::parent)
                    .chain(parent -> fork(parent, request, access)))
        .invoke(answer -> RunService.note(answer, access));
  }

  private Uni<NewRun> fork(
      RunQueryService.Parent parent, ForkRequest request, ProjectAccess access) {
    return service
        .check(request(parent, request), access)
        .chain(run -> prepare(parent, run, request).map(run::forkedFrom));
  }

  private static void check(ForkRequest request) {
    if ((request.checkpoint() == null) == (request.step() == null)) {
      throw bad("checkpoint", "one of 'checkpoint' and 'step' is needed", "either of them");
    }
    if (filesOnly(request) && request.checkpoint() == null) {
      throw bad("files_only", "'files_only' needs a checkpoint", "with 'checkpoint'");
    }
    ForkAgentChecker.change(request);
  }

  private static boolean filesOnly(ForkRequest request) {
    return Boolean.TRUE.equals(request.filesOnly());
  }

  private static RunRequest request(RunQueryService.Parent parent, ForkRequest request) {
    boolean same = request.workflow() == null && request.definition() == null;
    if (same && parent.definitionHash() == null) {
      throw bad(
          "workflow",
          "run %s has no definition to continue with".formatted(parent.id()),
          "name a workflow");
    }
    JsonNode input = request.input() == null ? parent.input() : request.input();
    return new RunRequest(
        same ? parent.workflow() + "@" + parent.definitionHash() : request.workflow(),
        request.definition(),
        input,
        request.labels() == null ? parent.labels() : request.labels(),
        parent.project(),
        request.deadline(),
        request.heartbeat(),
        null,
        null,
        request.priority() == null ? parent.priority() : request.priority());
  }

  private Uni<ForkedFrom> prepare(RunQueryService.Parent parent, NewRun run, ForkRequest request) {
    boolean changed =
        !filesOnly(request) && !Objects.equals(run.definitionHash(), parent.definitionHash());
    AgentChange agent = ForkAgentChecker.change(request);
    PrepareForkRequest.Builder asked =
        PrepareForkRequest.newBuilder()
            .setRun(run.id())
            .setProject(parent.project())
            .setParent(parent.id())
            .setStep(Objects.requireNonNullElse(request.step(), ""))
            .setFilesOnly(filesOnly(request))
            .setWantState(changed || agent != null);
    String checkpoint = request.checkpoint();
    Uni<String> named =
        checkpoint == null
            ? Uni.createFrom().item("")
            : checkpoints.named(checkpoint, parent.project());
    return runs.seen(parent.id())
        .chain(seen -> named.invoke(id -> asked.setCheckpoint(id).addAllSeen(seen)))
        .chain(() -> store.prepareFork(asked.build()))
        .invoke(
            prepared -> {
              if (agent != null) {
                ForkAgentChecker.requireTurn(state(prepared), prepared.getStep(), checkpoint);
              }
            })
        .call(prepared -> changed ? requireFit(run, prepared) : Uni.createFrom().voidItem())
        .call(prepared -> requireUsable(run, prepared, agent))
        .map(prepared -> origin(prepared, agent));
  }

  /** Requires that an agent which takes over can keep the rules of the step. */
  private Uni<Void> requireUsable(
      NewRun run, PrepareForkResponse prepared, @Nullable AgentChange agent) {
    String use = agent == null ? null : agent.use();
    String hash = run.definitionHash();
    if (use == null || hash == null) {
      return Uni.createFrom().voidItem();
    }
    return definitions
        .byHash(hash)
        .invoke(
            definition ->
                ForkAgentChecker.requireUsable(definition.workflow(), prepared.getStep(), use))
        .replaceWithVoid();
  }

  private Uni<Void> requireFit(NewRun run, PrepareForkResponse prepared) {
    RunState state = state(prepared);
    return definitions
        .byHash(Objects.requireNonNull(run.definitionHash()))
        .invoke(
            definition -> {
              List<String> problems =
                  DefinitionChangeChecker.problems(definition.workflow(), state);
              if (!problems.isEmpty()) {
                throw ProblemException.withErrors(
                    ProblemKind.CONFLICT,
                    "run %s cannot continue with this definition: %s"
                        .formatted(prepared.getParent(), problems.getFirst()),
                    problems.stream()
                        .map(
                            problem ->
                                FieldProblem.at(
                                    "workflow",
                                    problem,
                                    "every completed step, of the same kind, and the one that is next"))
                        .toList());
              }
            })
        .replaceWithVoid();
  }

  private static RunState state(PrepareForkResponse prepared) {
    return Json.read(prepared.getState().toByteArray(), RunState.class);
  }

  private static ForkedFrom origin(PrepareForkResponse prepared, @Nullable AgentChange agent) {
    return new ForkedFrom(
        prepared.getParent(),
        prepared.getPosition(),
        prepared.getStep().isEmpty() ? null : prepared.getStep(),
        prepared.getCheckpoint().isEmpty() ? null : prepared.getCheckpoint(),
        agent);
  }

  private static ProblemException bad(String path, String message, String allowed) {
    return ProblemException.withErrors(
        ProblemKind.BAD_PARAMETER,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at(path, message, allowed)));
  }
}
