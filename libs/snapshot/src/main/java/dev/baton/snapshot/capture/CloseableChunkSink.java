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

/** Where the chunks of one thread go. Thread-confined. */
interface CloseableChunkSink extends ChunkSink, AutoCloseable {
  /** Passes on what it holds; more may follow. */
  void flush() throws IOException, InterruptedException;

  /** All files have been read, and passed on by whoever read them: little follows. */
  default void filesEnded() throws IOException, InterruptedException {}

  /** Frees native memory; what was not flushed is lost. */
  @Override
  void close();

  /** For whoever wants nothing but hashes. */
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
