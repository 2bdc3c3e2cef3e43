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
public final class ChunkPacker implements ChunkSink, AutoCloseable {
  /** Receives packs; copies the bytes that it keeps. */
  @FunctionalInterface
  public interface PackSink {
    void accept(Pack pack) throws IOException, InterruptedException;
  }

  private final PackSink sink;
  private final BlockCompressor compressor = new BlockCompressor();
  private final BlockWriter data = new BlockWriter(Chunk.Kind.DATA);
  private final BlockWriter nodes = new BlockWriter(Chunk.Kind.NODE);
  private final PackWriter packs = new PackWriter();

  public ChunkPacker(PackSink sink) {
    this.sink = sink;
  }

  @Override
  public void accept(Chunk chunk) throws IOException, InterruptedException {
    BlockWriter block =
        switch (chunk.kind()) {
          case DATA -> data;
          case NODE -> nodes;
        };
    if (!block.fits(chunk.length())) {
      end(block);
    }
    block.add(chunk);
  }

  /** Passes the open blocks and the open pack to the sink; more chunks may follow. */
  public void flush() throws IOException, InterruptedException {
    end(data);
    end(nodes);
    give(packs.finish());
  }

  private void end(BlockWriter block) throws IOException, InterruptedException {
    if (!block.isEmpty()) {
      CompressedBlock done = compressor.compress(block);
      block.clear();
      give(packs.append(done));
    }
  }

  private void give(@Nullable Pack pack) throws IOException, InterruptedException {
    if (pack != null) {
      sink.accept(pack);
    }
  }

  /** Frees native memory; drops what was not flushed. */
  @Override
  public void close() {
    compressor.close();
  }
}
