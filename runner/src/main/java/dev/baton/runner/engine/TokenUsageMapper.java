/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.trace.ModelUsage;

/** Converts tokens between the gateway and the trace. */
final class TokenUsageMapper {
  private TokenUsageMapper() {}

  static ModelUsage toTrace(TokenUsage usage) {
    return new ModelUsage(
        usage.input(),
        usage.output(),
        usage.cacheRead(),
        usage.cacheWrite(),
        usage.cacheWriteLong(),
        usage.reasoning());
  }

  static TokenUsage fromTrace(ModelUsage usage) {
    return new TokenUsage(
        usage.input(),
        usage.cacheRead(),
        usage.cacheWrite(),
        usage.cacheWriteLong(),
        usage.output(),
        usage.reasoning());
  }
}
