/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import io.grpc.StatusRuntimeException;
import java.util.List;

/** A problem to report to the caller: a document over REST, a status over gRPC. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ProblemKind kind;
  private final String detail;
  private final transient List<FieldProblem> errors;
  private final transient List<String> candidates;

  private ProblemException(
      ProblemKind kind, String detail, List<FieldProblem> errors, List<String> candidates) {
    // No stack trace: it is useless for a caller's error, and rejecting bad input must stay cheap.
    super(detail, null, false, false);
    this.kind = kind;
    this.detail = detail;
    this.errors = errors;
    this.candidates = candidates;
  }

  public ProblemException(ProblemKind kind, String detail) {
    this(kind, detail, List.of(), List.of());
  }

  public static ProblemException withErrors(
      ProblemKind kind, String detail, List<FieldProblem> errors) {
    return new ProblemException(kind, detail, List.copyOf(errors), List.of());
  }

  public static ProblemException ambiguous(String detail, List<String> candidates) {
    return new ProblemException(
        ProblemKind.AMBIGUOUS_ID, detail, List.of(), List.copyOf(candidates));
  }

  public ProblemKind kind() {
    return kind;
  }

  public ProblemDocument document(String instance) {
    return new ProblemDocument(
        kind.type(),
        kind.title(),
        kind.status(),
        detail,
        instance,
        errors.isEmpty() ? null : errors,
        candidates.isEmpty() ? null : candidates);
  }

  public StatusRuntimeException status() {
    StringBuilder text = new StringBuilder(detail);
    errors.forEach(error -> text.append("; ").append(error.message()));
    if (!candidates.isEmpty()) {
      text.append(": ").append(String.join(", ", candidates));
    }
    return io.grpc.Status.fromCode(kind.grpc())
        .withDescription(text.toString())
        .asRuntimeException();
  }
}
