/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import dev.baton.operator.OrchestratorClient;
import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.OrchestratorException.UnavailableException;
import dev.baton.operator.ResourceKey;
import dev.baton.operator.RunDeletionPolicy;
import dev.baton.operator.RunOperatingMode;
import dev.baton.operator.RunReport;
import dev.baton.operator.RunStart;
import dev.baton.operator.RunnerPoolReport;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.launch.RunnerPoolService;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.ResourceOwner;
import dev.baton.orchestrator.runs.ResumeRequest;
import dev.baton.orchestrator.runs.RunCancellationService;
import dev.baton.orchestrator.runs.RunPauseService;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunRequest;
import dev.baton.orchestrator.runs.RunResumeService;
import dev.baton.orchestrator.runs.RunService;
import dev.baton.orchestrator.workflows.WorkflowCatalog;
import dev.baton.protocol.workflow.DefinitionFormat;
import io.quarkus.vertx.VertxContextSupport;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Serves the operator with this replica's own services. Blocks its callers. Thread-safe. */
@ApplicationScoped
class LocalOrchestratorClient implements OrchestratorClient {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MAX_ERRORS = 5;
  private static final String REQUESTER = "kubernetes";
  private static final String DELETED = "the Run was deleted from its Kubernetes cluster";

  private final WorkflowCatalog workflows;
  private final RunService runs;
  private final RunQueryService queries;
  private final RunCancellationService cancellation;
  private final RunPauseService pausing;
  private final RunResumeService resumption;
  private final RunResourceRepository resources;
  private final RunReportPublisher reports;
  private final RunnerPoolService pools;

  LocalOrchestratorClient(
      WorkflowCatalog workflows,
      RunService runs,
      RunQueryService queries,
      RunCancellationService cancellation,
      RunPauseService pausing,
      RunResumeService resumption,
      RunResourceRepository resources,
      RunReportPublisher reports,
      RunnerPoolService pools) {
    this.workflows = workflows;
    this.runs = runs;
    this.queries = queries;
    this.cancellation = cancellation;
    this.pausing = pausing;
    this.resumption = resumption;
    this.resources = resources;
    this.reports = reports;
    this.pools = pools;
  }

  @Override
  public StoredWorkflow store(byte[] json) throws RejectedException, UnavailableException {
    WorkflowCatalog.Put put = await(() -> workflows.put(json, DefinitionFormat.JSON));
    return new StoredWorkflow(put.name(), put.hash());
  }

  @Override
  public RunReport start(RunStart start) throws RejectedException, UnavailableException {
    String uid = start.resource().uid();
    // The key of a request is kept for a day, and this entry as long as the run.
    Optional<RunReport> known = read(uid);
    if (known.isPresent()) {
      return known.get();
    }
    ResourceOwner owner =
        new ResourceOwner(
            uid,
            start.resource().namespace(),
            start.resource().name(),
            RunResourceRepository.word(start.onDelete()));
    RunRequest request =
        new RunRequest(
            start.workflow(),
            null,
            start.input(),
            start.labels(),
            start.project(),
            start.deadline(),
            null,
            null,
            null,
            start.priority());
    await(() -> runs.createFor(owner, request));
    return read(uid)
        .orElseThrow(
            () -> new UnavailableException("the run of " + uid + " was deleted after its start"));
  }

  @Override
  public Optional<RunReport> read(String uid) throws UnavailableException {
    return query(
        () ->
            resources
                .find(uid)
                .chain(
                    found ->
                        found.isEmpty()
                            ? Uni.createFrom().item(Optional.<RunReport>empty())
                            : report(found.getFirst())));
  }

  private Uni<Optional<RunReport>> report(RunResourceRepository.Entry owner) {
    return queries
        .all(List.of(owner.run()))
        .map(
            views -> {
              if (views.isEmpty()) {
                return Optional.empty();
              }
              RunReport report = RunReportFactory.create(owner, views.getFirst());
              if (!report.ended()) {
                reports.expect(owner);
              }
              return Optional.of(report);
            });
  }

  @Override
  public void apply(String run, RunOperatingMode mode)
      throws RejectedException, UnavailableException {
    await(
        () ->
            switch (mode) {
              case RUNNING ->
                  resumption
                      .resume(run, null, ResumeRequest.PLAIN, ProjectAccess.INTERNAL)
                      .replaceWithVoid();
              case PAUSED -> pausing.pause(run, false, REQUESTER, ProjectAccess.INTERNAL.caller());
              case CANCELLED -> cancellation.cancel(run, "requested by its Run in Kubernetes");
            });
  }

  @Override
  public void keepDeletionPolicy(String uid, RunDeletionPolicy policy) throws UnavailableException {
    query(() -> resources.keepDeletionPolicy(uid, policy));
  }

  @Override
  public void endDeleted(String uid) throws UnavailableException {
    query(
        () ->
            resources
                .find(uid)
                .chain(
                    found -> {
                      if (found.isEmpty() || found.getFirst().released()) {
                        return Uni.createFrom().voidItem();
                      }
                      RunResourceRepository.Entry entry = found.getFirst();
                      return entry.onDelete() == RunDeletionPolicy.CANCEL
                          ? cancel(entry.run()).chain(() -> resources.release(uid))
                          : resources.release(uid);
                    }));
  }

  /** Cancels a run; one that has ended or was deleted needs nothing. */
  private Uni<Void> cancel(String run) {
    return cancellation
        .cancel(run, DELETED)
        .onFailure(LocalOrchestratorClient::isDone)
        .recoverWithNull();
  }

  private static boolean isDone(Throwable failure) {
    return failure instanceof ProblemException problem
        && (problem.kind() == ProblemKind.CONFLICT || problem.kind() == ProblemKind.NOT_FOUND);
  }

  @Override
  public List<OwnedRun> owned(Collection<String> namespaces) throws UnavailableException {
    return query(() -> resources.owned(namespaces)).stream()
        .map(entry -> new OwnedRun(entry.resource(), entry.run()))
        .toList();
  }

  @Override
  public Subscription follow(Collection<String> namespaces, Consumer<RunReport> changed) {
    return reports.follow(namespaces, changed);
  }

  @Override
  public RunnerPoolReport putPool(ResourceKey pool, String cluster, String spec)
      throws RejectedException, UnavailableException {
    try {
      return report(pools.put(resource(pool, cluster), spec));
    } catch (ProblemException e) {
      throw rejected(e);
    } catch (RuntimeException e) {
      throw new UnavailableException(e.toString());
    }
  }

  private static RunnerPoolService.PoolResource resource(ResourceKey pool, String cluster) {
    return new RunnerPoolService.PoolResource(pool.uid(), pool.namespace(), pool.name(), cluster);
  }

  private static RunnerPoolReport report(RunnerPoolService.PoolState state) {
    return new RunnerPoolReport(
        state.wanted(),
        state.warm(),
        state.ready(),
        state.all(),
        state.selector(),
        state.refusal(),
        state.detail());
  }

  @Override
  public Optional<RunnerPoolReport> readPool(String uid) throws UnavailableException {
    try {
      return pools.find(uid).map(LocalOrchestratorClient::report);
    } catch (RuntimeException e) {
      throw new UnavailableException(e.toString());
    }
  }

  @Override
  public void removePool(String uid) throws UnavailableException {
    try {
      pools.remove(uid);
    } catch (RuntimeException e) {
      throw new UnavailableException(e.toString());
    }
  }

  @Override
  public List<ResourceKey> ownedPools(Collection<String> namespaces) throws UnavailableException {
    try {
      return pools.owned(namespaces).stream()
          .map(pool -> new ResourceKey(pool.uid(), pool.namespace(), pool.name()))
          .toList();
    } catch (RuntimeException e) {
      throw new UnavailableException(e.toString());
    }
  }

  /** Waits for an action that no caller's input can fail. */
  private static <T> T query(Supplier<Uni<T>> action) throws UnavailableException {
    try {
      return await(action);
    } catch (RejectedException e) {
      throw new UnavailableException(e.text());
    }
  }

  private static <T> T await(Supplier<Uni<T>> action)
      throws RejectedException, UnavailableException {
    try {
      // Hibernate Reactive needs a Vert.x context.
      return VertxContextSupport.subscribeAndAwait(
          () -> action.get().ifNoItem().after(LIMIT).fail());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException("interrupted");
    } catch (Throwable e) {
      Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      if (cause instanceof ProblemException problem) {
        throw rejected(problem);
      }
      throw new UnavailableException(cause.toString());
    }
  }

  private static RejectedException rejected(ProblemException problem) throws UnavailableException {
    String text = text(problem);
    return switch (problem.kind()) {
      case BUSY, TOO_MANY_STREAMS, PROJECT_LIMIT, UNAVAILABLE, INTERNAL, CHECKPOINT_FAILED ->
          throw new UnavailableException(text);
      case MALFORMED_REQUEST,
          BAD_PARAMETER,
          UNAUTHENTICATED,
          FORBIDDEN,
          CROSS_SITE,
          NOT_FOUND,
          METHOD_NOT_ALLOWED,
          NOT_ACCEPTABLE,
          AMBIGUOUS_ID,
          CONFLICT,
          TOO_LARGE,
          UNSUPPORTED_MEDIA_TYPE,
          MISDIRECTED,
          INVALID_WORKFLOW,
          INVALID_INPUT,
          NO_RUNNER,
          INVALID_ANSWER,
          IDEMPOTENCY_KEY_REUSED ->
          new RejectedException(reason(problem.kind()), text);
    };
  }

  private static String text(ProblemException problem) {
    List<FieldProblem> errors =
        Optional.ofNullable(problem.document("").errors()).orElse(List.of());
    List<String> lines = new ArrayList<>();
    for (FieldProblem error : errors.subList(0, Math.min(MAX_ERRORS, errors.size()))) {
      lines.add(
          (error.path() == null ? "" : error.path() + ": ")
              + error.message()
              + (error.allowed() == null ? "" : "; allowed: " + error.allowed()));
    }
    if (errors.size() > MAX_ERRORS) {
      lines.add((errors.size() - MAX_ERRORS) + " more");
    }
    String detail = problem.document("").detail();
    return lines.isEmpty() ? detail : detail + ": " + String.join(" | ", lines);
  }

  private static String reason(ProblemKind kind) {
    StringBuilder reason = new StringBuilder();
    for (String word : kind.name().split("_", -1)) {
      reason.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return reason.toString();
  }
}
