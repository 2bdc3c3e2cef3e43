/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import dev.baton.protocol.json.TextShortener;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.List;
import java.util.Objects;

/** A problem to report to the caller: a document over REST, a status over gRPC. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The domain of the reasons in gRPC error details. */
  private static final String ERROR_DOMAIN = "baton.dev";

  /** Errors in a gRPC status: clients accept trailers of 8 KiB by default. */
  private static final int MAX_VIOLATIONS = 8;

  /** Characters of the description of an error in a gRPC status. */
  private static final int MAX_DESCRIPTION = 200;

  /** Characters of the message of a gRPC status, which its trailers contain twice. */
  private static final int MAX_MESSAGE = 1_000;

  private final ProblemKind kind;
  private final String detail;
  private final transient List<FieldProblem> errors;
  private final transient List<String> candidates;

  /** Seconds after which the request may succeed; 0 for the default of its status. */
  private final int retrySeconds;

  private ProblemException(
      ProblemKind kind,
      String detail,
      List<FieldProblem> errors,
      List<String> candidates,
      int retrySeconds) {
    // No stack trace: it is useless for a caller's error, and rejecting bad input must stay cheap.
    super(detail, null, false, false);
    this.kind = kind;
    this.detail = detail;
    this.errors = errors;
    this.candidates = candidates;
    this.retrySeconds = retrySeconds;
  }

  public ProblemException(ProblemKind kind, String detail) {
    this(kind, detail, List.of(), List.of(), 0);
  }

  public static ProblemException withErrors(
      ProblemKind kind, String detail, List<FieldProblem> errors) {
    return new ProblemException(kind, detail, List.copyOf(errors), List.of(), 0);
  }

  /** Returns a problem that a repetition after this time may not have. */
  public static ProblemException retryAfter(ProblemKind kind, String detail, int seconds) {
    return new ProblemException(kind, detail, List.of(), List.of(), seconds);
  }

  public static ProblemException ambiguous(String detail, List<String> candidates) {
    return new ProblemException(
        ProblemKind.AMBIGUOUS_ID, detail, List.of(), List.copyOf(candidates), 0);
  }

  /** Returns the seconds of {@code Retry-After}; 0 for the default of the status. */
  int retrySeconds() {
    return retrySeconds;
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

  /**
   * Returns the problem as a gRPC status with details: an {@code ErrorInfo} whose reason is the
   * name of the kind, and, if the caller's request has errors, a {@code BadRequest} with each of
   * them.
   */
  public StatusRuntimeException status() {
    StringBuilder text = new StringBuilder(detail);
    errors.forEach(error -> text.append("; ").append(error.message()));
    if (!candidates.isEmpty()) {
      text.append(": ").append(String.join(", ", candidates));
    }
    ErrorInfo.Builder info =
        ErrorInfo.newBuilder()
            .setReason(kind.name())
            .setDomain(ERROR_DOMAIN)
            .putMetadata("type", kind.type());
    if (!candidates.isEmpty()) {
      info.putMetadata("candidates", String.join(",", candidates));
    }
    Status.Builder status =
        Status.newBuilder()
            .setCode(kind.grpc().value())
            .setMessage(TextShortener.shorten(text.toString(), MAX_MESSAGE))
            .addDetails(Any.pack(info.build()));
    if (!errors.isEmpty()) {
      BadRequest.Builder request = BadRequest.newBuilder();
      errors.stream()
          .limit(MAX_VIOLATIONS)
          .map(ProblemException::violation)
          .forEach(request::addFieldViolations);
      status.addDetails(Any.pack(request.build()));
    }
    return StatusProto.toStatusRuntimeException(status.build());
  }

  /** Returns an error as a detail of a gRPC status. The field is empty when none is known. */
  private static BadRequest.FieldViolation violation(FieldProblem error) {
    String text =
        error.allowed() == null
            ? error.message()
            : error.message() + "; allowed: " + error.allowed();
    return BadRequest.FieldViolation.newBuilder()
        .setField(
            Objects.requireNonNullElse(error.path(), Objects.requireNonNullElse(error.step(), "")))
        .setDescription(TextShortener.shorten(text, MAX_DESCRIPTION))
        .build();
  }
}
