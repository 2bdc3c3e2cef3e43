/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A requested approval, and its answer once given. Only the first answer counts.
 *
 * @param tool the tool call that it is about, without its input; null for an approval step
 */
public record ApprovalState(
    String approval,
    String step,
    String prompt,
    @Nullable JsonNode answerSchema,
    @Nullable JsonNode defaultAnswer,
    @Nullable Instant expiresAt,
    @Nullable String cut,
    @Nullable JsonNode answer,
    @Nullable String by,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ToolCall tool) {
  /** The {@code by} of a default answer, taken when the approval expired. */
  public static final String TIMEOUT = "timeout";

  /** The {@code code} of a step that failed because its approval was rejected. */
  public static final String REJECTED = "rejected";

  static ApprovalState of(TraceEvent.ApprovalRequested asked) {
    ToolCall tool = asked.tool();
    return new ApprovalState(
        asked.approval(),
        asked.step(),
        asked.prompt(),
        asked.answerSchema(),
        asked.defaultAnswer(),
        asked.expiresAt(),
        asked.cut(),
        null,
        null,
        tool == null ? null : tool.withoutInput());
  }

  /**
   * Whether a failed approval step was answered with a rejection, instead of left without an
   * answer.
   */
  public static boolean isAnswer(TraceEvent.StepFailed failed) {
    return failed.error().code().equals(REJECTED);
  }

  /**
   * Takes the default answer if the step ended with it. A person's answer may reach the runner
   * shortly before its event is on the log, so the output is compared.
   *
   * @param with the step's output; null for a rejection
   */
  ApprovalState answeredByDefault(@Nullable JsonNode with) {
    return defaultAnswer == null || with != null && !with.equals(defaultAnswer)
        ? this
        : answered(defaultAnswer, TIMEOUT);
  }

  ApprovalState answered(JsonNode with, @Nullable String who) {
    return answer != null
        ? this
        : new ApprovalState(
            approval, step, prompt, answerSchema, defaultAnswer, expiresAt, cut, with, who, tool);
  }
}
