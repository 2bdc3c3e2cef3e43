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
 * The shared state of planner, loaders and writers: segments waiting to be written and blocks being
 * loaded, both bounded. Guarded by one monitor, entered only per segment and block.
 *
 * <p>A block is loaded once for all segments that wait for it, and cached while there is space. The
 * planner waits while the blocks in use fill the memory. This cannot deadlock: then only submitted
 * segments hold blocks, and all blocks that they need are loaded or being loaded.
 */
final class RestorePipeline {
  /** Maximum number of decompressed bytes in memory, in use or cached. */
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
   * Returns the block, reserved for a segment that is about to be submitted; null if the memory is
   * full.
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

  /** Returns the block like {@link #tryUse} if it is loaded or being loaded, otherwise null. */
  synchronized @Nullable PipelineBlock useIfKnown(int pack, int number) throws IOException {
    check();
    PipelineBlock known = blocks.get(PipelineBlock.key(pack, number));
    return known == null ? null : use(known);
  }

  /**
   * Like {@link #tryUse}, but waits for space. The planner must have submitted all its segments.
   */
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

  /** Evicts the oldest blocks that no segment needs. */
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

  /** Returns an array for the block, usually one of an evicted block. */
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

  /** Returns the total length of all arrays. */
  synchronized long allocated() {
    return allocated;
  }

  /** Submits a segment; blocks while too many segments wait to be written. */
  synchronized void submit(RestoreSegment segment) throws IOException, InterruptedException {
    while (toWrite.size() >= MAX_SEGMENTS && failure == null) {
      wait();
    }
    check();
    toWrite.add(segment);
    unfinished++;
    notifyAll();
  }

  /** Returns once all submitted segments are written. */
  synchronized void await() throws IOException, InterruptedException {
    while (unfinished > 0 && failure == null) {
      wait();
    }
    check();
  }

  /** Returns the next segment to write; null if there will be none. */
  synchronized @Nullable RestoreSegment next() throws InterruptedException {
    while (toWrite.isEmpty() && !isOver()) {
      wait();
    }
    return isOver() ? null : toWrite.poll();
  }

  /** Returns the decompressed bytes of a block; null after close or a failure. */
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
   * Returns the next blocks to load, adjacent in one pack; empty if there will be none.
   *
   * @param joins whether the second argument can be read together with all blocks of the first
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

  /** Stops the pipeline; the planner throws the first failure. */
  synchronized void fail(Throwable cause) {
    Throwable first = failure;
    if (first == null) {
      failure = cause;
    } else if (first != cause) {
      first.addSuppressed(cause);
    }
    notifyAll();
  }

  /** Stops the pipeline. */
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
      case Throwable e -> throw new IOException("a restore thread failed: " + e, e);
    }
  }
}
