/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.state.ApprovalState;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.InputSchema;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks a person and waits for the answer. Asks once per visit, even if several runners wait for the
 * answer one after the other. Asks again only if a runner finds other files than those of the
 * question, because the approval is for exactly these files.
 */
final class ApprovalStepExecutor {
  /** Maximum length of a prompt in characters. */
  private static final int LONGEST_PROMPT = 16_384;

  /**
   * How much later than its question expired an answer may arrive that was accepted just before.
   */
  private static final Duration ON_ITS_WAY = Duration.ofSeconds(2);

  private final RunExecutionContext run;
  private final BranchExecution line;
  private final Step step;
  private final String path;
  private final Optional<ApprovalState> asked;
  private final String id;

  /** Remaining time of the question, where the run was parked; null for what its expiry says. */
  private final @Nullable Long leftMs;

  ApprovalStepExecutor(
      RunExecutionContext run,
      BranchExecution line,
      Step step,
      String path,
      int visit,
      Optional<StepState> left) {
    this.run = run;
    this.line = line;
    this.step = step;
    this.path = path;
    this.asked =
        run.memory().approval(path, run.visitId(path, visit)).filter(this::isAboutTheseFiles);
    this.leftMs = asked.isEmpty() ? null : left.map(StepState::leftMs).orElse(null);
    this.id = asked.map(ApprovalState::approval).orElseGet(() -> run.approvalId(path, visit));
  }

  StepResult execute(StepKind.Approval approval, Deadline deadline) throws InterruptedException {
    Instant expiresAt;
    if (asked.isPresent()) {
      expiresAt = notLaterThan(approval, asked.get().expiresAt());
    } else {
      String prompt = approval.prompt().render(line.scope());
      if (prompt.length() > LONGEST_PROMPT) {
        return StepResult.failedForGood(
            "expression",
            "the prompt has %d characters; allowed: at most %d"
                .formatted(prompt.length(), LONGEST_PROMPT));
      }
      expiresAt = ask(approval, prompt, Instant.now());
    }
    asked.map(ApprovalState::answer).ifPresent(answer -> run.answers().give(id, answer));
    Deadline expiry = expiresAt == null ? Deadline.NONE : Deadline.at(expiresAt);
    Deadline late = expiresAt == null ? Deadline.NONE : Deadline.at(expiresAt.plus(ON_ITS_WAY));
    run.progress().beginWaiting();
    Optional<JsonNode> answer;
    // An answer that is already there ends the wait at once: parking the run would only delay it.
    boolean mayPark = !isAhead() && !run.answers().to(id).isDone();
    try (RunParkingPolicy.OpenWait waiting =
        run.parking().begin(expiry, null, path, List.of(id), mayPark)) {
      answer = run.control().await(run.answers().to(id), late.earlier(deadline).leftOrForever());
      waiting.over();
    } finally {
      run.progress().endWaiting();
    }
    if (answer.isPresent()) {
      return judge(answer.get());
    }
    if (!expiry.isPast()) {
      return StepResult.failedForGood("timeout", "no answer within the step's timeout");
    }
    return approval
        .defaultAnswer()
        .map(this::judge)
        .orElseGet(() -> StepResult.failedForGood("expired", "no answer before " + expiresAt));
  }

  /** Limits the expiry, because the clock of the runner that recorded it may have been ahead. */
  private @Nullable Instant notLaterThan(StepKind.Approval approval, @Nullable Instant recorded) {
    Instant now = Instant.now();
    Instant longest =
        leftMs == null ? approval.timeout().map(now::plus).orElse(null) : now.plusMillis(leftMs);
    return recorded != null && longest != null && recorded.isAfter(longest) ? longest : recorded;
  }

  private @Nullable Instant ask(StepKind.Approval approval, String prompt, Instant now)
      throws InterruptedException {
    Instant expiresAt = approval.timeout().map(now::plus).orElse(null);
    run.append(
        new TraceEvent.ApprovalRequested(
            path,
            id,
            prompt,
            approval.schema().equals(InputSchema.ANY) ? null : approval.schema().json(),
            approval.defaultAnswer().orElse(null),
            expiresAt,
            files(),
            null));
    return expiresAt;
  }

  /** Returns the digest of the files that the question is about; null if no cut contains them. */
  private @Nullable String files() {
    Workspace workspace = line.workspace();
    return workspace == null || workspace.isAhead()
        ? null
        : workspace.cut().map(Cut::digest).orElse(null);
  }

  private boolean isAhead() {
    Workspace workspace = line.workspace();
    return workspace != null && workspace.isAhead();
  }

  private boolean isAboutTheseFiles(ApprovalState question) {
    return question.cut() == null || question.cut().equals(files());
  }

  /** Evaluates the answer: a no fails the step, unless the workflow defines what follows. */
  private StepResult judge(JsonNode answer) {
    JsonNode approved = answer.isObject() ? answer.path("approved") : answer;
    boolean no = approved.isBoolean() && !approved.booleanValue();
    boolean routed = step.next().stream().anyMatch(arm -> arm.when().isPresent());
    return no && !routed
        ? StepResult.failedForGood(ApprovalState.REJECTED, "the answer was no")
        : StepResult.done(answer);
  }
}
