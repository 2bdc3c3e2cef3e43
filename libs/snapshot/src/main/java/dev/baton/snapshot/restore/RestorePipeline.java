/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What planner, loaders and writers share: segments waiting to be written and blocks on their way
 * into memory, both bounded. One monitor for all of it, entered per segment and block only.
 *
 * <p>A block is loaded once for all segments that wait for it, and kept as long as there is room.
 * The planner waits while the blocks in use fill the memory. That ends: only segments that have
 * been submitted hold blocks by then, and they need nothing that is not on its way.
 */
final class RestorePipeline {
  /** Bytes of unpacked blocks in memory, in use or not. */
  static final long MAX_BYTES = 64 << 20;

  private static final int MAX_SEGMENTS = 32;

  private final Map<Long, PipelineBlock> blocks = new LinkedHashMap<>();
  private final Deque<PipelineBlock> toLoad = new ArrayDeque<>();
  private final Deque<RestoreSegment> toWrite = new ArrayDeque<>();
  private final Deque<byte[]> spare = new ArrayDeque<>();
  private long held;
  private long used;
  private long allocated;
  private int unfinished;
  private boolean closed;
  private @Nullable Throwable failure;

  /**
   * The block, to be used by a segment that is about to be submitted; null where there is no room
   * now.
   */
  synchronized @Nullable PipelineBlock tryUse(int pack, int number, int rawLength)
      throws IOException {
    check();
    PipelineBlock known = blocks.get(PipelineBlock.key(pack, number));
    if (known != null) {
      return use(known);
    }
    PipelineBlock block = new PipelineBlock(pack, number, rawLength);
    if (used > 0 && used + block.capacity > MAX_BYTES) {
      return null;
    }
    evict(block.capacity);
    blocks.put(block.key(), block);
    held += block.capacity;
    toLoad.add(block);
    notifyAll();
    return use(block);
  }

  /** The block as of {@link #tryUse}, if it is in memory or on its way there; null if not. */
  synchronized @Nullable PipelineBlock useIfKnown(int pack, int number) throws IOException {
    check();
    PipelineBlock known = blocks.get(PipelineBlock.key(pack, number));
    return known == null ? null : use(known);
  }

  /** As {@link #tryUse}, once there is room. Everything that the planner holds is submitted. */
  synchronized PipelineBlock use(int pack, int number, int rawLength)
      throws IOException, InterruptedException {
    while (true) {
      PipelineBlock block = tryUse(pack, number, rawLength);
      if (block != null) {
        return block;
      }
      wait();
    }
  }

  private PipelineBlock use(PipelineBlock block) {
    if (block.uses++ == 0) {
      used += block.capacity;
    }
    return block;
  }

  /** Drops the blocks longest in memory that nobody needs. */
  private void evict(long capacity) {
    var each = blocks.values().iterator();
    while (held + capacity > MAX_BYTES && each.hasNext()) {
      PipelineBlock block = each.next();
      byte[] bytes = block.bytes;
      if (block.uses == 0 && bytes != null) {
        each.remove();
        held -= block.capacity;
        spare.add(bytes);
      }
    }
  }

  /** An array for the block, most often one that a block before it was in. */
  synchronized byte[] array(PipelineBlock block) {
    for (var each = spare.iterator(); each.hasNext(); ) {
      byte[] bytes = each.next();
      if (bytes.length == block.capacity) {
        each.remove();
        return bytes;
      }
    }
    while (allocated + block.capacity > MAX_BYTES && !spare.isEmpty()) {
      allocated -= spare.remove().length;
    }
    allocated += block.capacity;
    return new byte[block.capacity];
  }

  /** Bytes of all arrays that there are. */
  synchronized long allocated() {
    return allocated;
  }

  /** Waits while many segments wait to be written. */
  synchronized void submit(RestoreSegment segment) throws IOException, InterruptedException {
    while (toWrite.size() >= MAX_SEGMENTS && failure == null) {
      wait();
    }
    check();
    toWrite.add(segment);
    unfinished++;
    notifyAll();
  }

  /** Returns once everything submitted is written. */
  synchronized void await() throws IOException, InterruptedException {
    while (unfinished > 0 && failure == null) {
      wait();
    }
    check();
  }

  /** The next segment to be written; null when there will be none. */
  synchronized @Nullable RestoreSegment next() throws InterruptedException {
    while (toWrite.isEmpty() && !isOver()) {
      wait();
    }
    return isOver() ? null : toWrite.poll();
  }

  /** The unpacked bytes of a block; null when all is over. */
  synchronized byte @Nullable [] bytes(PipelineBlock block) throws InterruptedException {
    while (block.bytes == null && !isOver()) {
      wait();
    }
    return isOver() ? null : block.bytes;
  }

  synchronized void written(RestoreSegment segment) {
    unfinished--;
    for (PipelineBlock block : segment.blocks()) {
      if (--block.uses == 0) {
        used -= block.capacity;
      }
    }
    notifyAll();
  }

  /**
   * The next blocks to be loaded, one after the other in one pack; empty when there will be none.
   *
   * @param joins whether the second can be read together with all up to the first
   */
  synchronized List<PipelineBlock> nextLoad(BiPredicate<List<PipelineBlock>, PipelineBlock> joins)
      throws InterruptedException {
    while (toLoad.isEmpty() && !isOver()) {
      wait();
    }
    List<PipelineBlock> load = new ArrayList<>();
    if (!isOver()) {
      load.add(toLoad.remove());
      for (PipelineBlock next = toLoad.peek(); next != null && joins.test(load, next); ) {
        load.add(toLoad.remove());
        next = toLoad.peek();
      }
    }
    return load;
  }

  synchronized void loaded(PipelineBlock block, byte[] bytes) {
    block.bytes = bytes;
    notifyAll();
  }

  /** Ends everything; the first failure is what the planner is told. */
  synchronized void fail(Throwable cause) {
    Throwable first = failure;
    if (first == null) {
      failure = cause;
    } else if (first != cause) {
      first.addSuppressed(cause);
    }
    notifyAll();
  }

  /** Ends everything. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }

  private boolean isOver() {
    return closed || failure != null;
  }

  private void check() throws IOException {
    switch (failure) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IOException("a part of the restore ended: " + e, e);
    }
  }
}
