/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.BlockSpan;
import java.io.IOException;
import java.util.List;

/**
 * Fetches and decompresses blocks in one thread; fetches adjacent blocks in one request. Reuses one
 * array for all requests.
 */
final class BlockLoader {
  /** Maximum number of compressed bytes per request, except for a single larger block. */
  private static final int MAX_REQUEST = 4 << 20;

  private final RestorePipeline pipeline;
  private final PackReader packs;
  private byte[] packed = new byte[0];

  BlockLoader(RestorePipeline pipeline, PackReader packs) {
    this.pipeline = pipeline;
    this.packs = packs;
  }

  /** Returns when no more blocks will be requested. */
  void run() throws IOException, InterruptedException {
    try (BlockReader unpacker = new BlockReader()) {
      List<PipelineBlock> blocks = pipeline.nextLoad(this::joins);
      while (!blocks.isEmpty()) {
        load(blocks, unpacker);
        blocks = pipeline.nextLoad(this::joins);
      }
    }
  }

  private boolean joins(List<PipelineBlock> blocks, PipelineBlock next) {
    PipelineBlock last = blocks.getLast();
    if (next.pack != last.pack || next.number != last.number + 1) {
      return false;
    }
    BlockSpan end = span(next);
    return end.offset() + end.compressedLength() - span(blocks.getFirst()).offset() <= MAX_REQUEST;
  }

  private void load(List<PipelineBlock> blocks, BlockReader unpacker)
      throws IOException, InterruptedException {
    int from = span(blocks.getFirst()).offset();
    BlockSpan last = span(blocks.getLast());
    int pack = blocks.getFirst().pack;
    int length = last.offset() + last.compressedLength() - from;
    if (packed.length < length) {
      packed = new byte[Math.max(length, Math.min(2 * packed.length, MAX_REQUEST))];
    }
    packs.read(pack, from, packed, length);
    for (PipelineBlock block : blocks) {
      BlockSpan span = span(block);
      byte[] bytes = pipeline.array(block);
      unpacker.read(packed, span.offset() - from, span.compressedLength(), bytes, block.rawLength);
      pipeline.loaded(block, bytes);
    }
  }

  private BlockSpan span(PipelineBlock block) {
    return packs.span(block.pack, block.number);
  }
}
