/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import io.grpc.Status;
import java.util.Locale;

/**
 * Every public problem with its HTTP status and gRPC code. The URI of its type ends with the name
 * in kebab case.
 */
public enum ProblemKind {
  MALFORMED_REQUEST(400, "The request could not be read", Status.Code.INVALID_ARGUMENT),
  BAD_PARAMETER(400, "A parameter value is not allowed", Status.Code.INVALID_ARGUMENT),
  UNAUTHENTICATED(401, "The request has no valid credential", Status.Code.UNAUTHENTICATED),
  FORBIDDEN(403, "The caller's role does not allow it", Status.Code.PERMISSION_DENIED),
  CROSS_SITE(403, "Request from a web page of another origin", Status.Code.PERMISSION_DENIED),
  NOT_FOUND(404, "Not found", Status.Code.NOT_FOUND),
  METHOD_NOT_ALLOWED(405, "Method not allowed", Status.Code.UNIMPLEMENTED),
  NOT_ACCEPTABLE(406, "No acceptable representation", Status.Code.INVALID_ARGUMENT),
  AMBIGUOUS_ID(409, "The short id is ambiguous", Status.Code.FAILED_PRECONDITION),
  CONFLICT(409, "The state does not allow it", Status.Code.FAILED_PRECONDITION),
  TOO_LARGE(413, "The request is too large", Status.Code.RESOURCE_EXHAUSTED),
  UNSUPPORTED_MEDIA_TYPE(415, "Content type not supported", Status.Code.INVALID_ARGUMENT),
  MISDIRECTED(421, "The Host header is not allowed", Status.Code.PERMISSION_DENIED),
  INVALID_WORKFLOW(422, "The workflow definition is not valid", Status.Code.INVALID_ARGUMENT),
  INVALID_INPUT(422, "The input does not fit the workflow's schema", Status.Code.INVALID_ARGUMENT),
  NO_RUNNER(422, "No launcher can start a runner for the run", Status.Code.FAILED_PRECONDITION),
  INVALID_ANSWER(
      422, "The answer does not fit the approval's schema", Status.Code.INVALID_ARGUMENT),
  IDEMPOTENCY_KEY_REUSED(
      422, "The Idempotency-Key was used with another body", Status.Code.ALREADY_EXISTS),
  TOO_MANY_STREAMS(429, "Too many open streams", Status.Code.RESOURCE_EXHAUSTED),
  PROJECT_LIMIT(429, "A limit of the project is reached", Status.Code.RESOURCE_EXHAUSTED),
  CHECKPOINT_FAILED(502, "The checkpoint could not be created", Status.Code.ABORTED),
  BUSY(503, "Too many concurrent requests", Status.Code.UNAVAILABLE),
  UNAVAILABLE(503, "A required service does not answer", Status.Code.UNAVAILABLE),
  INTERNAL(500, "Internal error", Status.Code.INTERNAL);

  private static final String TYPE_BASE = "https://baton.dev/problems/";

  private final int status;
  private final String title;
  private final Status.Code grpc;

  ProblemKind(int status, String title, Status.Code grpc) {
    this.status = status;
    this.title = title;
    this.grpc = grpc;
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  public Status.Code grpc() {
    return grpc;
  }

  /** An identifier, not an address. */
  public String type() {
    return TYPE_BASE + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
