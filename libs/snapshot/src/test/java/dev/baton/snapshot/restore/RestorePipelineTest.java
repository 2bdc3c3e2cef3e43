/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RestorePipelineTest {
  private static final int BLOCKS = 1000;
  private static final int LARGEST = 4 << 20;

  @Test
  void shouldUnpackBlocksIntoTheArraysOfThoseBefore() throws Exception {
    RestorePipeline pipeline = new RestorePipeline();
    Random random = new Random(1);
    Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());

    for (int i = 0; i < BLOCKS; i++) {
      // As in practice: nearly full, except for a few.
      int length = i % 50 == 0 ? 1 + random.nextInt(LARGEST) : LARGEST - random.nextInt(500_000);
      byte[] bytes = load(pipeline, i, length);
      assertThat(bytes.length).isGreaterThanOrEqualTo(length);
      arrays.add(bytes);
    }

    // 250 times the memory limit; a few of the rare lengths find no matching array.
    long allocated = arrays.stream().mapToLong(bytes -> bytes.length).sum();
    assertThat(allocated).isLessThan(2 * RestorePipeline.MAX_BYTES);
  }

  @Test
  void shouldGiveArraysOfOtherSizesUpWhenMemoryIsFull() throws Exception {
    RestorePipeline pipeline = new RestorePipeline();
    int small = (int) (RestorePipeline.MAX_BYTES / LARGEST) * 4;
    for (int i = 0; i < small; i++) {
      load(pipeline, i, LARGEST / 4);
    }

    for (int i = small; i < small + 100; i++) {
      load(pipeline, i, LARGEST);
    }

    assertThat(pipeline.allocated()).isLessThanOrEqualTo(RestorePipeline.MAX_BYTES);
  }

  /** Returns the array of the decompressed block, which is released. */
  private static byte[] load(RestorePipeline pipeline, int number, int length) throws Exception {
    RestoreSegment segment = new RestoreSegment();
    segment.need(Objects.requireNonNull(pipeline.tryUse(0, number, length), "room"));
    pipeline.submit(segment);
    PipelineBlock block = pipeline.nextLoad((blocks, next) -> false).getFirst();
    byte[] bytes = pipeline.array(block);
    pipeline.loaded(block, bytes);
    pipeline.written(Objects.requireNonNull(pipeline.next()));
    return bytes;
  }
}
