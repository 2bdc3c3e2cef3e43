/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.Pack;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Packs chunks in one thread: collects blocks of each kind, and compresses and packs them as they
 * fill. Thread-confined. Holds two open blocks and one pack.
 */
public final class ChunkPacker extends BlockFiller {
  /** Receives packs; copies the bytes that it keeps. */
  @FunctionalInterface
  public interface PackSink {
    void accept(Pack pack) throws IOException, InterruptedException;
  }

  private final PackSink sink;
  private final PackWriter packs = new PackWriter();

  public ChunkPacker(PackSink sink) {
    this.sink = sink;
  }

  /** Passes the open blocks and the open pack to the sink; more chunks may follow. */
  @Override
  public void flush() throws IOException, InterruptedException {
    super.flush();
    give(packs.finish());
  }

  @Override
  protected void emit(CompressedBlock block) throws IOException, InterruptedException {
    give(packs.append(block));
  }

  private void give(@Nullable Pack pack) throws IOException, InterruptedException {
    if (pack != null) {
      sink.accept(pack);
    }
  }
}
