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
 * A JSON value of a run: inline in the message up to {@link #INLINE_LIMIT}, by reference above it.
 * On the wire either {@code {"value": …}} or {@code {"digest": "sha256:…", "size_bytes": n}}, the
 * latter with {@code "parts": n} where the value is composed of other outputs.
 */
@JsonDeserialize(using = OutputReader.class)
public sealed interface Output {
  /** Maximum bytes of JSON in a message (64 KiB); a larger output is always sent by reference. */
  int INLINE_LIMIT = 64 * 1024;

  record Inline(JsonNode value) implements Output {}

  /**
   * @param digest of the blob: the JSON text of the value, or, with {@code parts}, a list of
   *     outputs
   * @param sizeBytes size of the whole value as JSON text, at least; saturates at the maximum of a
   *     {@code long}
   * @param parts null where the blob is the value. Otherwise the blob is a JSON array or object of
   *     this many outputs in their wire form, and the value has their values in their places
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
