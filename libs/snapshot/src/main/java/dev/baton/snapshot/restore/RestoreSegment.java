/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Consecutive files that one thread writes in one go, and the blocks that their bytes are in. */
final class RestoreSegment {
  /** Bytes of content after which a segment is full. */
  private static final long FULL_BYTES = 4 << 20;

  /** Tasks after which a segment is full: each may keep a directory open. */
  private static final int FULL_TASKS = 256;

  final List<WriteTask> tasks = new ArrayList<>();
  private final Map<Long, PipelineBlock> blocks = new HashMap<>();
  private long bytes;
  private long files;

  void add(WriteTask task) {
    tasks.add(task);
  }

  /** Bytes of content and files that a task is. */
  void count(long taskBytes, long taskFiles) {
    bytes += taskBytes;
    files += taskFiles;
  }

  /** The block, if it is needed already. */
  @Nullable PipelineBlock find(int pack, int number) {
    return blocks.get(PipelineBlock.key(pack, number));
  }

  void need(PipelineBlock block) {
    blocks.put(block.key(), block);
  }

  Collection<PipelineBlock> blocks() {
    return blocks.values();
  }

  boolean isEmpty() {
    return tasks.isEmpty();
  }

  boolean isFull() {
    return bytes >= FULL_BYTES || tasks.size() >= FULL_TASKS;
  }

  long bytes() {
    return bytes;
  }

  long files() {
    return files;
  }
}
