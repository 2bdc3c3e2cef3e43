/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

/** The errors of the gateway, with their HTTP status and the names that the forms have for them. */
public enum WireErrorKind {
  INVALID_REQUEST(400, "invalid_request_error"),
  BUDGET(402, "billing_error"),
  FORBIDDEN(403, "permission_error"),
  NOT_FOUND(404, "not_found_error"),
  METHOD(405, "invalid_request_error"),
  TIMEOUT(408, "timeout_error"),
  CONFLICT(409, "invalid_request_error"),
  TOO_LARGE(413, "request_too_large"),
  UPSTREAM(502, "api_error"),
  UNAVAILABLE(503, "overloaded_error");

  private final int status;
  private final String type;

  WireErrorKind(int status, String type) {
    this.status = status;
    this.type = type;
  }

  public int status() {
    return status;
  }

  /** The name of the error in all forms. */
  public String type() {
    return type;
  }
}
