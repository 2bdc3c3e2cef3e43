/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotencyService;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.lease.LeaseIssuer;
import dev.baton.orchestrator.outbox.OutboxCompletions;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunKind;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Creates runs from requests of all APIs. */
@ApplicationScoped
public class RunService {
  private static final int MAX_BATCH = 1_000;
  private static final int EPOCH = 1;

  /** Shorter than the usual response timeout of callers. */
  private static final Duration ON_THE_LOG = Duration.ofSeconds(10);

  /** The response to a batch, in the order of the requests. */
  @Schema(name = "CreatedRuns")
  record Created(List<RunView> runs) {}

  private final RunRequestValidator intake;
  private final NewRunWriter creation;
  private final IdempotencyService keys;
  private final LeaseIssuer leases;
  private final OutboxCompletions awaited;

  RunService(
      RunRequestValidator intake,
      NewRunWriter creation,
      IdempotencyService keys,
      LeaseIssuer leases,
      OutboxCompletions awaited) {
    this.awaited = awaited;
    this.intake = intake;
    this.creation = creation;
    this.keys = keys;
    this.leases = leases;
  }

  /**
   * @param key of the request, as the caller wrote it; null for none
   */
  public Uni<IdempotentResponse> create(byte[] body, @Nullable String key, ProjectAccess access) {
    RunRequest request = JsonBodyReader.read(body, RunRequest.class);
    String project = intake.permitted(request, access);
    return create(
            IdempotencyKey.of(access.caller(), "create_run in " + project, key, body),
            () -> intake.check(request))
        .invoke(answer -> note(answer, access));
  }

  /** Notes the created runs for the audit log. */
  public static void note(IdempotentResponse answer, ProjectAccess access) {
    runs(answer).forEach(run -> access.noteRun(run.path("id").asText()));
  }

  /** Fails with a problem when the caller may not create the run, or the request is invalid. */
  public Uni<NewRun> check(RunRequest request, ProjectAccess access) {
    intake.permitted(request, access);
    return intake.check(request);
  }

  /**
   * @param run called unless the key was already used
   */
  public Uni<IdempotentResponse> create(@Nullable IdempotencyKey key, Supplier<Uni<NewRun>> run) {
    return unlessKept(
        key,
        () ->
            run.get()
                .chain(
                    made ->
                        creation.create(
                            List.of(made),
                            key,
                            IdempotentResponse.fresh(201, "/runs/" + made.id(), view(made)))));
  }

  /**
   * Creates the run of a resource, once for each uid: the uid is the key of the request, and is
   * stored with the run.
   */
  public Uni<IdempotentResponse> createFor(ResourceOwner owner, RunRequest request) {
    IdempotencyKey key =
        IdempotencyKey.of(
            ProjectAccess.INTERNAL.caller(),
            "create_run_of_resource",
            owner.uid(),
            Json.bytes(request));
    return unlessKept(
        key,
        () ->
            intake
                .check(request)
                .chain(
                    made ->
                        creation.create(
                            List.of(made),
                            key,
                            IdempotentResponse.fresh(201, "/runs/" + made.id(), view(made)),
                            owner)));
  }

  Uni<IdempotentResponse> createMany(byte[] body, @Nullable String text, ProjectAccess access) {
    List<RunRequest> requests = JsonBodyReader.read(body, RunRequest.Batch.class).runs();
    if (requests == null || requests.isEmpty() || requests.size() > MAX_BATCH) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'runs' has "
              + (requests == null ? 0 : requests.size())
              + " entries; allowed: 1 to "
              + MAX_BATCH);
    }
    requests.forEach(request -> intake.permitted(request, access));
    IdempotencyKey key = IdempotencyKey.of(access.caller(), "create_runs", text, body);
    return unlessKept(
            key,
            () ->
                intake
                    .checkAll(requests)
                    .chain(
                        runs ->
                            creation.create(
                                runs,
                                key,
                                IdempotentResponse.fresh(
                                    201,
                                    null,
                                    new Created(runs.stream().map(this::view).toList())))))
        .invoke(answer -> note(answer, access));
  }

  private Uni<IdempotentResponse> unlessKept(
      @Nullable IdempotencyKey key, Supplier<Uni<IdempotentResponse>> action) {
    return keys.find(key)
        .chain(kept -> kept.map(answer -> Uni.createFrom().item(answer)).orElseGet(action))
        .chain(this::onTheLog);
  }

  /**
   * Waits for the first event of external runs: their runner may send events as soon as it has the
   * response, and events before the run's first event would be dropped.
   */
  private Uni<IdempotentResponse> onTheLog(IdempotentResponse answer) {
    List<String> external = external(answer);
    return awaited
        .firstDone(external, ON_THE_LOG)
        .onFailure(TimeoutException.class)
        .transform(
            late ->
                new ProblemException(
                    ProblemKind.UNAVAILABLE,
                    "%s registered, but the first event is not on the log after %s. Earlier events would be dropped: repeat this request with the same Idempotency-Key, or begin when the status of GET /runs/%s is no longer 'pending'"
                        .formatted(
                            external.size() == 1
                                ? "run " + external.getFirst() + " is"
                                : external.size() + " runs are",
                            ON_THE_LOG,
                            external.getFirst())))
        .replaceWith(answer);
  }

  private static List<String> external(IdempotentResponse answer) {
    List<String> ids = new ArrayList<>();
    for (JsonNode run : runs(answer)) {
      if (run.path("kind").asText().equals(RunKind.EXTERNAL.word())) {
        ids.add(run.path("id").asText());
      }
    }
    return ids;
  }

  private static Iterable<JsonNode> runs(IdempotentResponse answer) {
    JsonNode body = Json.tree(answer.body().getBytes(StandardCharsets.UTF_8));
    return body.has("runs") ? body.get("runs") : List.of(body);
  }

  private RunView view(NewRun run) {
    return run.external()
        ? run.view().withLease(leases.issue(run.id(), EPOCH, run.project()))
        : run.view();
  }
}
