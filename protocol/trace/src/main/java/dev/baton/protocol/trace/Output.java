/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.baton.protocol.digest.Digest;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value of a run: within the message up to {@link #INLINE_LIMIT}, by reference above it. On
 * the wire either {@code {"value": …}} or {@code {"digest": "sha256:…", "size_bytes": n}}. The
 * latter has {@code "parts": n}, too, where the value is put together of other outputs.
 */
@JsonDeserialize(using = OutputReader.class)
public sealed interface Output {
  /** Bytes of JSON, 64 KiB: above it an output never travels in the message. */
  int INLINE_LIMIT = 64 * 1024;

  record Inline(JsonNode value) implements Output {}

  /**
   * @param digest of the blob; its bytes are the JSON text, or, with {@code parts}, a list of it
   * @param sizeBytes of the JSON text of the whole value, at least; at most what a {@code long} has
   * @param parts null: the blob is the value. Else the blob is a JSON array, or a JSON object, of
   *     so many outputs in the form they have on the wire, and the value has theirs in their places
   */
  record Ref(String digest, long sizeBytes, @Nullable Integer parts) implements Output {
    public Ref {
      Digest.check(digest);
    }

    public Ref(String digest, long sizeBytes) {
      this(digest, sizeBytes, null);
    }
  }
}
