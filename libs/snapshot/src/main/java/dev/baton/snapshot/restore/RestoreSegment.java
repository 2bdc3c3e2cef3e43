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

/** Consecutive files that one thread writes as a unit, with the blocks that contain their bytes. */
final class RestoreSegment {
  /** Size of content in bytes at which a segment is full. */
  private static final long FULL_BYTES = 4 << 20;

  /** Number of tasks at which a segment is full: each may keep a directory open. */
  private static final int FULL_TASKS = 256;

  final List<WriteTask> tasks = new ArrayList<>();
  private final Map<Long, PipelineBlock> blocks = new HashMap<>();
  private long bytes;
  private long files;

  void add(WriteTask task) {
    tasks.add(task);
  }

  /** Adds the bytes and files of a task. */
  void count(long taskBytes, long taskFiles) {
    bytes += taskBytes;
    files += taskFiles;
  }

  /** Returns the block if the segment already needs it. */
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
