/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.spend.TokenUsage;

/** What the two forms of OpenAI share: counts of tokens and the shape of errors. */
final class OpenAiUsage {
  private OpenAiUsage() {}

  /** OpenAI counts cached tokens as part of the input. */
  static TokenUsage of(long input, long cached, long output, long reasoning) {
    long read = Math.min(input, cached);
    return new TokenUsage(input - read, read, 0, 0, output, Math.min(output, reasoning));
  }

  static ObjectNode error(WireErrorKind kind, String message) {
    ObjectNode body = JsonFields.newObject();
    ObjectNode error = body.putObject("error");
    error
        .put("message", message)
        .put("type", kind.type())
        .putNull("param")
        .put("code", kind.type());
    return body;
  }
}
