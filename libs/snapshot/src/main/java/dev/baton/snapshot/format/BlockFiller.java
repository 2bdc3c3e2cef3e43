/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.io.IOException;

/** Fills one open block for each kind of chunk. Thread-confined. */
public abstract class BlockFiller implements ChunkSink, AutoCloseable {
  private final BlockCompressor compressor = new BlockCompressor();
  private final BlockWriter data = new BlockWriter(Chunk.Kind.DATA);
  private final BlockWriter nodes = new BlockWriter(Chunk.Kind.NODE);

  /** Adds the chunk to the block of its kind, which is ended before if it has no room. */
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

  /** Ends both blocks; more chunks may follow. */
  public void flush() throws IOException, InterruptedException {
    end(data);
    end(nodes);
  }

  /** Passes a block on, which may be empty, and leaves it empty. */
  protected void end(BlockWriter block) throws IOException, InterruptedException {
    if (!block.isEmpty()) {
      CompressedBlock done = compressor.compress(block);
      block.clear();
      emit(done);
    }
  }

  protected abstract void emit(CompressedBlock block) throws IOException, InterruptedException;

  /** Frees native memory; drops what was not flushed. */
  @Override
  public void close() {
    compressor.close();
  }
}
