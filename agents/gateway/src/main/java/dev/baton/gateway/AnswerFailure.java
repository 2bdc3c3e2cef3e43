/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.upstream.UpstreamFailure;
import dev.baton.gateway.wire.WireErrorKind;
import org.jspecify.annotations.Nullable;

/**
 * Why a request has no answer.
 *
 * @param kind of the error where the gateway itself reports it
 * @param message for the agent
 * @param upstream the endpoint's own response, which the agent gets as it is; null where there was
 *     none
 * @param brokenOff whether a part of the answer has reached the agent: its connection is closed, so
 *     that it repeats the request
 */
record AnswerFailure(
    WireErrorKind kind, String message, @Nullable UpstreamFailure upstream, boolean brokenOff) {
  static AnswerFailure of(WireErrorKind kind, String message) {
    return new AnswerFailure(kind, message, null, false);
  }
}
