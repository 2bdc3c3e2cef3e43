/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.ToolCall;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the tool call of an approval from its column. */
final class ToolCallReader {
  private ToolCallReader() {}

  static @Nullable ToolCall read(@Nullable String json) {
    return json == null ? null : Json.read(json.getBytes(StandardCharsets.UTF_8), ToolCall.class);
  }
}
