/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A condition as Kubernetes' API conventions define it.
 *
 * @param status {@code True}, {@code False} or {@code Unknown}
 * @param reason in CamelCase
 * @param lastTransitionTime of the status, RFC 3339 in seconds
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ResourceCondition(
    @JsonPropertyDescription("Accepted, Launched, Waiting, Succeeded, ModeApplied or Ready")
        String type,
    @JsonPropertyDescription("True, False or Unknown") String status,
    @JsonPropertyDescription("Reason of the status in one word") String reason,
    @JsonPropertyDescription("What happened and what to do") @Nullable String message,
    @JsonPropertyDescription("When the status changed") @Nullable String lastTransitionTime) {
  static final String ACCEPTED = "Accepted";
  static final String LAUNCHED = "Launched";
  static final String WAITING = "Waiting";
  static final String SUCCEEDED = "Succeeded";
  static final String READY = "Ready";
  static final String MODE_APPLIED = "ModeApplied";

  static final String TRUE = "True";
  static final String FALSE = "False";
  static final String UNKNOWN = "Unknown";

  /** Longest text, in bytes of JSON. */
  static final int MAX_MESSAGE_BYTES = 512;

  /** Longest text of the only condition of a status, which lists errors. */
  static final int MAX_ERRORS_BYTES = 2048;

  private static final int MAX_WORD_BYTES = 64;

  /** Creates a condition without a time; shortens what is too long. */
  static ResourceCondition of(String type, String status, String reason, @Nullable String message) {
    return new ResourceCondition(
        type,
        status,
        StatusTextLimiter.limit(reason, MAX_WORD_BYTES),
        message == null ? null : StatusTextLimiter.limit(message, MAX_MESSAGE_BYTES),
        null);
  }

  /** Creates the only condition of a status: not accepted, for a reason. */
  static ResourceCondition rejected(String reason, String message) {
    return new ResourceCondition(
        ACCEPTED,
        FALSE,
        StatusTextLimiter.limit(reason, MAX_WORD_BYTES),
        StatusTextLimiter.limit(message, MAX_ERRORS_BYTES),
        null);
  }

  boolean isTrue() {
    return status.equals(TRUE);
  }

  static Optional<ResourceCondition> find(List<ResourceCondition> conditions, String type) {
    return conditions.stream().filter(condition -> condition.type().equals(type)).findFirst();
  }

  /**
   * Adds times: that of the earlier condition of the type when its status is the same, otherwise
   * the given one.
   */
  static List<ResourceCondition> timed(
      List<ResourceCondition> conditions, List<ResourceCondition> earlier, String now) {
    return conditions.stream()
        .map(
            condition ->
                new ResourceCondition(
                    condition.type(),
                    condition.status(),
                    condition.reason(),
                    condition.message(),
                    find(earlier, condition.type())
                        .filter(known -> known.status().equals(condition.status()))
                        .map(ResourceCondition::lastTransitionTime)
                        .orElse(now)))
        .toList();
  }
}
