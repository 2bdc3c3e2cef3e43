/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;

/**
 * A JSON value of a run: within the message up to {@link #INLINE_LIMIT}, by reference above it. On
 * the wire either {@code {"value": …}} or {@code {"digest": "sha256:…", "size_bytes": n}}.
 */
@JsonDeserialize(using = OutputReader.class)
public sealed interface Output {
  /** Bytes of JSON, 64 KiB: above it an output never travels in the message. */
  int INLINE_LIMIT = 64 * 1024;

  record Inline(JsonNode value) implements Output {}

  /**
   * @param digest of the blob, whose bytes are the JSON text
   */
  record Ref(String digest, long sizeBytes) implements Output {
    public Ref {
      Digest.check(digest);
    }
  }
}
