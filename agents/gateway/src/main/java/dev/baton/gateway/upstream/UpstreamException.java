/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import java.io.IOException;
import java.time.Duration;

/** Reports that a request has no answer. */
public final class UpstreamException extends IOException {
  private static final long serialVersionUID = 1L;

  private final transient UpstreamFailure failure;
  private final boolean retryable;
  private final Duration retryAfter;

  UpstreamException(UpstreamFailure failure, boolean retryable, Duration retryAfter) {
    super(failure.reason());
    this.failure = failure;
    this.retryable = retryable;
    this.retryAfter = retryAfter;
  }

  public UpstreamFailure failure() {
    return failure;
  }

  /** Whether the same request may succeed later. */
  public boolean isRetryable() {
    return retryable;
  }

  /** How long the endpoint requests to wait; zero where it does not. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
