/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.format.BlockFiller;
import dev.baton.snapshot.format.BlockWriter;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.CompressedBlock;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Builds blocks from chunks that are not yet stored. Thread-confined: one instance per reading
 * thread.
 */
final class DeduplicatingPacker extends BlockFiller implements CloseableChunkSink {
  /** Minimum size in bytes for a query to the store: below it, an upload is faster than a query. */
  static final int WORTH_ASKING = 512 << 10;

  private final PackStore store;
  private final KnownChunkIndex known;
  private final PackUploader shipment;
  private final boolean asks;

  /**
   * @param asks whether to query the store for chunks that this capture has not stored
   */
  DeduplicatingPacker(PackStore store, KnownChunkIndex known, PackUploader shipment, boolean asks) {
    this.store = store;
    this.known = known;
    this.shipment = shipment;
    this.asks = asks;
  }

  @Override
  public void accept(Chunk chunk) throws IOException, InterruptedException {
    if (known.claim(chunk.hash())) {
      super.accept(chunk);
    }
  }

  @Override
  public void filesEnded() throws IOException, InterruptedException {
    shipment.sendLarge();
  }

  @Override
  protected void end(BlockWriter block) throws IOException, InterruptedException {
    if (asks && block.rawLength() >= WORTH_ASKING) {
      List<Hash> chunks = block.chunks();
      for (int from = 0; from < chunks.size(); from += PackStore.MAX_FIND) {
        int to = Math.min(chunks.size(), from + PackStore.MAX_FIND);
        Map<Hash, PackRef> places = store.find(chunks.subList(from, to));
        known.found(places);
        block.removeIf(places::containsKey);
      }
    }
    super.end(block);
  }

  @Override
  protected void emit(CompressedBlock block) throws IOException, InterruptedException {
    shipment.add(block);
  }
}
