/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import dev.baton.orchestrator.approvals.ApprovalService;
import dev.baton.orchestrator.approvals.ApprovalView;
import dev.baton.orchestrator.audit.AuditLog;
import dev.baton.orchestrator.checkpoints.ForkRequest;
import dev.baton.orchestrator.checkpoints.RunForkService;
import dev.baton.orchestrator.events.StoredTraceClient;
import dev.baton.orchestrator.events.StreamLimiter;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.AuditedCall;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.GrpcProblemMapper;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.ResumeRequest;
import dev.baton.orchestrator.runs.RunCancellationService;
import dev.baton.orchestrator.runs.RunPauseService;
import dev.baton.orchestrator.runs.RunQueryFilter;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunResumeService;
import dev.baton.orchestrator.runs.RunService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.orchestrator.workflows.WorkflowCatalog;
import dev.baton.protocol.audit.AuditOutcome;
import dev.baton.protocol.grpc.AnswerApprovalRequest;
import dev.baton.protocol.grpc.Approval;
import dev.baton.protocol.grpc.CancelRunRequest;
import dev.baton.protocol.grpc.CreateRunRequest;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.ForkRunRequest;
import dev.baton.protocol.grpc.GetRunRequest;
import dev.baton.protocol.grpc.ListApprovalsRequest;
import dev.baton.protocol.grpc.ListApprovalsResponse;
import dev.baton.protocol.grpc.ListRunsRequest;
import dev.baton.protocol.grpc.ListRunsResponse;
import dev.baton.protocol.grpc.LostCheckpoint;
import dev.baton.protocol.grpc.PauseRunRequest;
import dev.baton.protocol.grpc.PutWorkflowRequest;
import dev.baton.protocol.grpc.ResumeRunRequest;
import dev.baton.protocol.grpc.Run;
import dev.baton.protocol.grpc.RunsService;
import dev.baton.protocol.grpc.WorkflowVersion;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.workflow.DefinitionFormat;
import io.grpc.Status;
import io.quarkus.grpc.GrpcService;
import io.quarkus.grpc.RegisterInterceptor;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The gRPC API: the same operations as REST. */
@GrpcService
@RegisterInterceptor(CallReadinessInterceptor.class)
class RunsGrpcService implements RunsService {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MOST = 1_000;

  private final RunService runs;
  private final RunQueryService queries;
  private final RunCancellationService cancellation;
  private final RunPauseService pausing;
  private final RunResumeService resumption;
  private final RunForkService forks;
  private final WorkflowCatalog workflows;
  private final ApprovalService approvals;
  private final StoredTraceClient store;
  private final CallerContext callers;
  private final StreamLimiter streams;
  private final AuditLog audit;

  RunsGrpcService(
      RunService runs,
      RunQueryService queries,
      RunCancellationService cancellation,
      RunPauseService pausing,
      RunResumeService resumption,
      RunForkService forks,
      WorkflowCatalog workflows,
      ApprovalService approvals,
      StoredTraceClient store,
      CallerContext callers,
      StreamLimiter streams,
      AuditLog audit) {
    this.audit = audit;
    this.streams = streams;
    this.callers = callers;
    this.runs = runs;
    this.queries = queries;
    this.cancellation = cancellation;
    this.pausing = pausing;
    this.resumption = resumption;
    this.forks = forks;
    this.workflows = workflows;
    this.approvals = approvals;
    this.store = store;
  }

  @Override
  @RolesAllowed(AccessRole.OPERATOR_NAME)
  public Uni<WorkflowVersion> putWorkflow(PutWorkflowRequest request) {
    return changing(
        "PutWorkflow",
        null,
        access -> {
          byte[] text = request.getDefinition().toByteArray();
          JsonBodyReader.check(text.length, JsonBodyReader.LIMIT);
          DefinitionFormat format =
              switch (request.getFormat()) {
                case "yaml", "" -> DefinitionFormat.YAML;
                case "json" -> DefinitionFormat.JSON;
                case "dot" -> DefinitionFormat.DOT;
                default -> throw bad("format '" + request.getFormat() + "'", "yaml, json, dot");
              };
          return workflows
              .put(text, format)
              .map(
                  put ->
                      WorkflowVersion.newBuilder()
                          .setName(put.name())
                          .setHash(put.hash())
                          .setCreated(put.created())
                          .build());
        });
  }

  @Override
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  public Uni<Run> createRun(CreateRunRequest request) {
    return changing(
        "CreateRun",
        null,
        access -> {
          ObjectNode body = Json.mapper().createObjectNode();
          body.put("workflow", request.getWorkflow());
          if (!request.getProject().isEmpty()) {
            body.put("project", request.getProject());
          }
          if (!request.getInput().isEmpty()) {
            body.set(
                "input", JsonBodyReader.read(request.getInput().toByteArray(), JsonNode.class));
          }
          if (request.getPriority() != 0) {
            body.put("priority", request.getPriority());
          }
          if (!request.getDeadline().isEmpty()) {
            body.put("deadline", request.getDeadline());
          }
          ObjectNode labels = body.putObject("labels");
          request.getLabelsMap().forEach(labels::put);
          byte[] bytes = Json.bytes(body);
          JsonBodyReader.check(bytes.length, JsonBodyReader.LIMIT);
          return runs.create(bytes, optional(request.getIdempotencyKey()), access)
              .map(RunsGrpcService::created);
        });
  }

  private static Run created(IdempotentResponse answer) {
    return message(Json.read(answer.body().getBytes(StandardCharsets.UTF_8), RunView.class));
  }

  @Override
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  public Uni<Run> getRun(GetRunRequest request) {
    return guarded(
        () ->
            queries
                .resolve(request.getRun(), callers.access(AccessRole.VIEWER))
                .chain(queries::get)
                .map(RunsGrpcService::message));
  }

  @Override
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  public Uni<ListRunsResponse> listRuns(ListRunsRequest request) {
    return guarded(
        () -> {
          int limit = limit(request.getLimit());
          return queries
              .list(
                  RunQueryFilter.of(
                      new RunQueryFilter.Words(
                          request.getStatus().isEmpty() ? null : List.of(request.getStatus()),
                          null,
                          optional(request.getWorkflow()),
                          request.getLabelsMap().entrySet().stream()
                              .map(label -> label.getKey() + "=" + label.getValue())
                              .toList(),
                          optional(request.getSince()),
                          optional(request.getUntil()))),
                  callers.access(AccessRole.VIEWER).visible(),
                  optional(request.getCursor()),
                  limit)
              .map(
                  page -> {
                    ListRunsResponse.Builder response = ListRunsResponse.newBuilder();
                    page.runs().forEach(run -> response.addRuns(message(run)));
                    String next = page.nextCursor();
                    return response.setNextCursor(next == null ? "" : next).build();
                  });
        });
  }

  @Override
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  public Uni<Run> cancelRun(CancelRunRequest request) {
    return changing(
        "CancelRun",
        request.getRun(),
        access ->
            queries
                .resolve(request.getRun(), access)
                .call(run -> cancellation.cancel(run, optional(request.getReason())))
                .chain(queries::get)
                .map(RunsGrpcService::message));
  }

  @Override
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  public Uni<Run> pauseRun(PauseRunRequest request) {
    return changing(
        "PauseRun",
        request.getRun(),
        access -> {
          return queries
              .resolve(request.getRun(), access)
              .call(
                  run ->
                      pausing.pause(
                          run, request.getNow(), optional(request.getBy()), access.caller()))
              .chain(queries::get)
              .map(RunsGrpcService::message);
        });
  }

  @Override
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  public Uni<Run> resumeRun(ResumeRunRequest request) {
    return changing(
        "ResumeRun",
        request.getRun(),
        access -> {
          Map<String, JsonNode> set = new LinkedHashMap<>();
          request
              .getSetMap()
              .forEach(
                  (step, value) ->
                      set.put(step, JsonBodyReader.read(value.toByteArray(), JsonNode.class)));
          return resumption
              .resume(
                  request.getRun(),
                  null,
                  new ResumeRequest(
                      optional(request.getFrom()),
                      set,
                      request.getSkipList(),
                      optional(request.getWorkflow()),
                      null,
                      request.getAcceptChanges(),
                      request.hasBudget() ? RunAgentMapper.budget(request.getBudget()) : null,
                      optional(request.getBy())),
                  access)
              .map(RunsGrpcService::message);
        });
  }

  @Override
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  public Uni<Run> forkRun(ForkRunRequest request) {
    return changing(
        "ForkRun",
        request.getRun(),
        access -> {
          ForkRequest fork =
              new ForkRequest(
                  optional(request.getCheckpoint()),
                  optional(request.getStep()),
                  request.getFilesOnly(),
                  optional(request.getWorkflow()),
                  null,
                  request.getInput().isEmpty()
                      ? null
                      : JsonBodyReader.read(request.getInput().toByteArray(), JsonNode.class),
                  request.getLabelsMap().isEmpty() ? null : request.getLabelsMap(),
                  optional(request.getDeadline()),
                  null,
                  request.hasPriority() ? request.getPriority() : null,
                  optional(request.getPrompt()),
                  optional(request.getModel()),
                  optional(request.getUse()));
          byte[] bytes = Json.bytes(fork);
          JsonBodyReader.check(bytes.length, JsonBodyReader.LIMIT);
          IdempotencyKey key =
              IdempotencyKey.of(
                  access.caller(),
                  "fork_run " + request.getRun(),
                  optional(request.getIdempotencyKey()),
                  bytes);
          return forks.fork(request.getRun(), fork, key, access).map(RunsGrpcService::created);
        });
  }

  @Override
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  public Uni<Approval> answerApproval(AnswerApprovalRequest request) {
    return changing(
        "AnswerApproval",
        request.getApproval(),
        access ->
            approvals
                .answer(
                    request.getApproval(),
                    JsonBodyReader.read(request.getAnswer().toByteArray(), JsonNode.class),
                    new ApprovalService.AnswerDetails(
                        optional(request.getBy()),
                        optional(request.getComment()),
                        optional(request.getCheckpoint())),
                    access)
                .map(RunsGrpcService::message));
  }

  @Override
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  public Uni<ListApprovalsResponse> listApprovals(ListApprovalsRequest request) {
    return guarded(
        () -> {
          String status = request.getWaitingOnly() ? "waiting" : null;
          ProjectAccess access = callers.access(AccessRole.VIEWER);
          Uni<ListApprovalsResponse> listed =
              request.getRun().isEmpty()
                  ? approvals
                      .list(status, null, null, MOST, access)
                      .map(page -> messages(page.approvals()))
                  : queries
                      .resolve(request.getRun(), access)
                      .chain(run -> approvals.list(status, run, null, MOST, access))
                      .map(page -> messages(page.approvals()));
          return listed;
        });
  }

  @Override
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  public Multi<Event> streamEvents(EventsRequest request) {
    CallReadiness client = CallReadinessInterceptor.READINESS.get();
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    return client
        .paced(
            Multi.createFrom()
                .deferred(() -> streams.limited(access.caller(), events(request, access))))
        .onFailure()
        .transform(GrpcProblemMapper::status);
  }

  private Multi<Event> events(EventsRequest request, ProjectAccess access) {
    return guarded(() -> queries.resolve(request.getRun(), access))
        .onItem()
        .transformToMulti(
            run ->
                request.getFollow()
                    ? store.follow(run, request.getAfter())
                    : queries
                        .seen(run)
                        .onItem()
                        .transformToMulti(
                            seen ->
                                store.events(run, seen, request.getAfter(), request.getLimit())));
  }

  /**
   * Records the call before and after the action, and maps failures to a status.
   *
   * @param target what the request names; null for nothing
   */
  private <T> Uni<T> changing(
      String method, @Nullable String target, Function<ProjectAccess, Uni<? extends T>> action) {
    return guarded(
        () -> {
          ProjectAccess access = callers.access(AccessRole.OPERATOR);
          AuditedCall call = callers.call();
          return audit
              .begin(call, "RunsService/" + method, target)
              .chain(
                  () ->
                      GrpcProblemMapper.mapped(
                              Uni.createFrom().<T>deferred(() -> action.apply(access)))
                          .onItemOrFailure()
                          .call((item, failure) -> end(call, failure))
                          .onCancellation()
                          .call(() -> end(call, Status.CANCELLED.asRuntimeException())));
        });
  }

  private Uni<Void> end(AuditedCall call, @Nullable Throwable failure) {
    Status status = failure == null ? Status.OK : Status.fromThrowable(failure);
    AuditOutcome outcome =
        switch (status.getCode()) {
          case OK -> AuditOutcome.OK;
          case UNAUTHENTICATED, PERMISSION_DENIED -> AuditOutcome.REFUSED;
          case UNAVAILABLE, INTERNAL, UNKNOWN, ABORTED, DEADLINE_EXCEEDED, CANCELLED, DATA_LOSS ->
              AuditOutcome.FAILED;
          default -> AuditOutcome.REJECTED;
        };
    return audit.end(call, outcome, status.getCode().name(), GrpcProblemMapper.type(failure));
  }

  /** Maps exceptions and failures of the action to a status. */
  private static <T> Uni<T> guarded(Supplier<Uni<? extends T>> action) {
    return GrpcProblemMapper.mapped(Uni.createFrom().deferred(action));
  }

  private static int limit(int asked) {
    if (asked == 0) {
      return DEFAULT_LIMIT;
    }
    if (asked < 1 || asked > MOST) {
      throw bad("limit " + asked, "1 to " + MOST);
    }
    return asked;
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }

  private static @Nullable String optional(String text) {
    return text.isEmpty() ? null : text;
  }

  private static LostCheckpoint message(DamagedCheckpoint lost) {
    LostCheckpoint.Builder message =
        LostCheckpoint.newBuilder()
            .setBranch(lost.branch())
            .setDigest(lost.digest())
            .setReason(lost.reason());
    if (lost.checkpoint() != null) {
      message.setCheckpoint(lost.checkpoint());
    }
    return message.build();
  }

  private static Run message(RunView view) {
    Run.Builder run =
        Run.newBuilder()
            .setId(view.id())
            .setDisplayId(view.displayId())
            .setProject(view.project())
            .setStatus(view.status())
            .setEpoch(view.epoch())
            .setCreatedAtMicros(micros(view.createdAt()))
            .setEndedAtMicros(micros(view.endedAt()))
            .putAllLabels(view.labels())
            .setPriority(view.priority());
    if (view.homePartition() != null) {
      run.setHomePartition(view.homePartition());
    }
    setQueued(run, view.queued());
    if (view.traceGap() != null) {
      run.setTraceGap(view.traceGap());
    }
    if (view.agent() != null) {
      run.setAgent(RunAgentMapper.message(view.agent()));
    }
    if (view.degraded() != null) {
      view.degraded().forEach(lost -> run.addDegraded(message(lost)));
    }
    if (view.workflow() != null) {
      run.setWorkflow(view.workflow());
    }
    if (view.definitionHash() != null) {
      run.setDefinitionHash(view.definitionHash());
    }
    if (!view.currentSteps().isEmpty()) {
      run.setCurrentStep(view.currentSteps().getFirst());
    }
    if (view.output() != null) {
      run.setOutput(ByteString.copyFromUtf8(view.output().toString()));
    }
    Failure error = view.error();
    if (error != null) {
      run.setError(error.code() + ": " + error.message());
    }
    return run.build();
  }

  private static void setQueued(Run.Builder run, RunView.@Nullable Queued queued) {
    if (queued == null) {
      return;
    }
    run.setQueuePosition(queued.position()).setQueueReason(queued.reason());
    if (queued.launcher() != null) {
      run.setQueueLauncher(queued.launcher());
    }
    if (queued.pool() != null) {
      run.setQueuePool(queued.pool());
    }
    if (queued.limit() != null) {
      run.setQueueLimit(queued.limit());
    }
    if (queued.detail() != null) {
      run.setQueueDetail(queued.detail());
    }
  }

  private static ListApprovalsResponse messages(List<ApprovalView> views) {
    ListApprovalsResponse.Builder response = ListApprovalsResponse.newBuilder();
    views.forEach(view -> response.addApprovals(message(view)));
    return response.build();
  }

  private static dev.baton.protocol.grpc.ToolCall message(ToolCall call) {
    return dev.baton.protocol.grpc.ToolCall.newBuilder()
        .setCall(call.call())
        .setName(call.name())
        .setInput(ByteString.copyFromUtf8(String.valueOf(call.input())))
        .setInputDigest(call.inputDigest())
        .setReason(Objects.requireNonNullElse(call.reason(), ""))
        .build();
  }

  private static Approval message(ApprovalView view) {
    Approval.Builder approval =
        Approval.newBuilder()
            .setId(view.id())
            .setRun(view.run())
            .setStep(view.step())
            .setPrompt(view.prompt())
            .setStatus(view.status())
            .setAskedAtMicros(micros(view.askedAt()))
            .setAnsweredAtMicros(micros(view.answeredAt()));
    if (view.schema() != null) {
      approval.setSchema(ByteString.copyFromUtf8(view.schema().toString()));
    }
    if (view.answer() != null) {
      approval.setAnswer(ByteString.copyFromUtf8(view.answer().toString()));
    }
    if (view.checkpoint() != null) {
      approval.setCheckpoint(view.checkpoint());
    }
    if (view.by() != null) {
      approval.setBy(view.by());
    }
    if (view.tool() != null) {
      approval.setTool(message(view.tool()));
    }
    return approval.build();
  }

  private static long micros(@Nullable Instant time) {
    return time == null ? 0 : ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }
}
