/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An approval that was asked for, and its answer once there is one. The first answer holds. */
public record ApprovalState(
    String approval,
    String step,
    String prompt,
    @Nullable JsonNode answerSchema,
    @Nullable JsonNode defaultAnswer,
    @Nullable Instant expiresAt,
    @Nullable String cut,
    @Nullable JsonNode answer,
    @Nullable String by) {
  /** Who gave the default answer, when nobody else did in time. */
  public static final String TIMEOUT = "timeout";

  /** The {@code code} of a step that failed since its answer was no. */
  public static final String REJECTED = "rejected";

  /** Whether an approval step that failed did so with an answer, not for want of one. */
  public static boolean isAnswer(TraceEvent.StepFailed failed) {
    return failed.error().code().equals(REJECTED);
  }

  /**
   * @param with what the step ended with; null: with a no. A person's answer may reach the runner a
   *     moment before its event is on the log
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
            approval, step, prompt, answerSchema, defaultAnswer, expiresAt, cut, with, who);
  }
}
