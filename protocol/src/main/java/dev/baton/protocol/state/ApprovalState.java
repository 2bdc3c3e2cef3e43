/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.JsonNode;
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

  ApprovalState answered(JsonNode with, @Nullable String who) {
    return answer != null
        ? this
        : new ApprovalState(
            approval, step, prompt, answerSchema, defaultAnswer, expiresAt, cut, with, who);
  }
}
