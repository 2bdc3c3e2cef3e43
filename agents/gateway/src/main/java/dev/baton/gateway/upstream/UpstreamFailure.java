/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response of an endpoint other than an answer, or the lack of one.
 *
 * @param status HTTP status; 0 without a response
 * @param reason for messages; without keys
 * @param body of the response, without keys; null where there was none
 * @param headers of the response that the agent gets
 */
public record UpstreamFailure(
    int status, String reason, byte @Nullable [] body, Map<String, String> headers) {
  public UpstreamFailure {
    headers = Map.copyOf(headers);
  }

  static UpstreamFailure withoutResponse(String reason) {
    return new UpstreamFailure(0, reason, null, Map.of());
  }
}
