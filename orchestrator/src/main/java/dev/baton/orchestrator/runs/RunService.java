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
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.orchestrator.outbox.OutboxCompletions;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates runs from requests, whatever way these came. */
@ApplicationScoped
public class RunService {
  private static final int MAX_BATCH = 1_000;
  private static final int EPOCH = 1;

  /** Shorter than what callers usually wait for an answer. */
  private static final Duration ON_THE_LOG = Duration.ofSeconds(10);

  /** The answer to a batch, in the order of the requests. */
  record Created(List<RunView> runs) {}

  private final RunRequestValidator intake;
  private final NewRunWriter creation;
  private final IdempotencyService keys;
  private final LeaseSigner leases;
  private final OutboxCompletions awaited;

  RunService(
      RunRequestValidator intake,
      NewRunWriter creation,
      IdempotencyService keys,
      LeaseSigner leases,
      OutboxCompletions awaited) {
    this.awaited = awaited;
    this.intake = intake;
    this.creation = creation;
    this.keys = keys;
    this.leases = leases;
  }

  public Uni<IdempotentResponse> create(byte[] body, @Nullable IdempotencyKey key) {
    RunRequest request = JsonBodyReader.read(body, RunRequest.class);
    return create(key, () -> check(request));
  }

  /** Fails with a problem when the request is not right. */
  public Uni<NewRun> check(RunRequest request) {
    return intake.check(request);
  }

  /**
   * @param run asked for unless the key has been used
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

  Uni<IdempotentResponse> createMany(byte[] body, @Nullable IdempotencyKey key) {
    List<RunRequest> requests = JsonBodyReader.read(body, RunRequest.Batch.class).runs();
    if (requests == null || requests.isEmpty() || requests.size() > MAX_BATCH) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "'runs' has "
              + (requests == null ? 0 : requests.size())
              + " entries; allowed: 1 to "
              + MAX_BATCH);
    }
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
                                201, null, new Created(runs.stream().map(this::view).toList())))));
  }

  private Uni<IdempotentResponse> unlessKept(
      @Nullable IdempotencyKey key, Supplier<Uni<IdempotentResponse>> action) {
    return keys.find(key)
        .chain(kept -> kept.map(answer -> Uni.createFrom().item(answer)).orElseGet(action))
        .chain(this::onTheLog);
  }

  /**
   * Whoever registers an external run may send as its runner once he has the answer, and what comes
   * before the run's first event is of nobody who may act for it.
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
                    "%s registered, but the log has not taken the first event within %s. Events sent before would not count: repeat this request with the same Idempotency-Key, or begin when GET /runs/%s no longer says 'pending'"
                        .formatted(
                            external.size() == 1
                                ? "run " + external.getFirst() + " is"
                                : external.size() + " runs are",
                            ON_THE_LOG,
                            external.getFirst())))
        .replaceWith(answer);
  }

  private static List<String> external(IdempotentResponse answer) {
    JsonNode body = Json.tree(answer.body().getBytes(StandardCharsets.UTF_8));
    List<String> ids = new ArrayList<>();
    for (JsonNode run : body.has("runs") ? body.get("runs") : List.of(body)) {
      if (run.path("kind").asText().equals("external")) {
        ids.add(run.path("id").asText());
      }
    }
    return ids;
  }

  private RunView view(NewRun run) {
    return run.external()
        ? run.view().withLease(leases.mint(run.id(), EPOCH, run.project()))
        : run.view();
  }
}
