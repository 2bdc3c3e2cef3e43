/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.ChunkSink;
import java.io.IOException;

/** Receives the chunks of one thread. Thread-confined. */
interface CloseableChunkSink extends ChunkSink, AutoCloseable {
  /** Passes on buffered chunks; more may follow. */
  void flush() throws IOException, InterruptedException;

  /** Called when all threads have read and flushed all files: only directory nodes follow. */
  default void filesEnded() throws IOException, InterruptedException {}

  /** Frees native memory; drops what was not flushed. */
  @Override
  void close();

  /** Discards chunks, for callers that only compute hashes. */
  static CloseableChunkSink nowhere() {
    return new CloseableChunkSink() {
      @Override
      public void accept(Chunk chunk) {}

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
