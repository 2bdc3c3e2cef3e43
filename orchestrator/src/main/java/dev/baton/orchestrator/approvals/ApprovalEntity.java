/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * Maps a row of an approval and its answer. Written by the projection and by {@link
 * ApprovalService}; read-only here.
 */
@Entity
@Immutable
@Table(name = "approval")
class ApprovalEntity {
  @Id private String id;

  @Column(name = "run")
  private String run;

  @Column(name = "step")
  private String step;

  @Column(name = "prompt")
  private String prompt;

  @Column(name = "status")
  private String status;

  @Column(name = "answer_schema")
  private @Nullable String answerSchema;

  @Column(name = "default_answer")
  private @Nullable String defaultAnswer;

  @Column(name = "cut")
  private @Nullable String cut;

  @Column(name = "tool")
  private @Nullable String tool;

  @Column(name = "asked_at")
  private Instant askedAt;

  @Column(name = "expires_at")
  private @Nullable Instant expiresAt;

  @Column(name = "answer")
  private @Nullable String answer;

  @Column(name = "answered_by")
  private @Nullable String answeredBy;

  @Column(name = "comment")
  private @Nullable String comment;

  @Column(name = "answered_at")
  private @Nullable Instant answeredAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected ApprovalEntity() {}

  ApprovalView view() {
    return new ApprovalView(
        id,
        run,
        step,
        prompt,
        status,
        json(answerSchema),
        json(defaultAnswer),
        cut,
        ToolCallReader.read(tool),
        askedAt,
        expiresAt,
        json(answer),
        answeredBy,
        comment,
        answeredAt);
  }

  private static @Nullable JsonNode json(@Nullable String text) {
    return text == null ? null : Json.tree(text.getBytes(StandardCharsets.UTF_8));
  }
}
