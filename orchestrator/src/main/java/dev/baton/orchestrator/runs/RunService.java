/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotencyKeys;
import dev.baton.orchestrator.idempotency.StoredAnswer;
import dev.baton.orchestrator.launch.LeaseMint;
import dev.baton.orchestrator.problem.Bodies;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates runs from requests, whatever way these came. */
@ApplicationScoped
public class RunService {
  private static final int MAX_BATCH = 1_000;
  private static final int EPOCH = 1;

  /** The answer to a batch, in the order of the requests. */
  record Created(List<RunView> runs) {}

  private final RunIntake intake;
  private final RunCreation creation;
  private final IdempotencyKeys keys;
  private final LeaseMint leases;

  RunService(RunIntake intake, RunCreation creation, IdempotencyKeys keys, LeaseMint leases) {
    this.intake = intake;
    this.creation = creation;
    this.keys = keys;
    this.leases = leases;
  }

  public Uni<StoredAnswer> create(byte[] body, @Nullable IdempotencyKey key) {
    RunRequest request = Bodies.read(body, RunRequest.class);
    return create(key, () -> check(request));
  }

  /** Fails with a problem when the request is not right. */
  public Uni<NewRun> check(RunRequest request) {
    return intake.check(request);
  }

  /**
   * @param run asked for unless the key has been used
   */
  public Uni<StoredAnswer> create(@Nullable IdempotencyKey key, Supplier<Uni<NewRun>> run) {
    return unlessKept(
        key,
        () ->
            run.get()
                .chain(
                    made ->
                        creation.create(
                            List.of(made),
                            key,
                            StoredAnswer.fresh(201, "/runs/" + made.id(), view(made)))));
  }

  Uni<StoredAnswer> createMany(byte[] body, @Nullable IdempotencyKey key) {
    List<RunRequest> requests = Bodies.read(body, RunRequest.Batch.class).runs();
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
                            StoredAnswer.fresh(
                                201, null, new Created(runs.stream().map(this::view).toList())))));
  }

  private Uni<StoredAnswer> unlessKept(
      @Nullable IdempotencyKey key, Supplier<Uni<StoredAnswer>> action) {
    return keys.find(key)
        .chain(kept -> kept.map(answer -> Uni.createFrom().item(answer)).orElseGet(action));
  }

  private RunView view(NewRun run) {
    return run.external()
        ? run.view().withLease(leases.mint(run.id(), EPOCH, run.project()))
        : run.view();
  }
}
