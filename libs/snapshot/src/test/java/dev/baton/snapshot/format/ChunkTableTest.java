/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChunkTableTest {
  @Test
  void shouldFindChunksOfIndexes() throws Exception {
    List<Pack> packs = new ArrayList<>();
    try (ChunkPacker packer = new ChunkPacker(packs::add)) {
      for (int p = 0; p < 3; p++) {
        for (int i = 0; i < 100; i++) {
          byte[] bytes = "chunk %d of %d".formatted(i, p).getBytes(StandardCharsets.US_ASCII);
          packer.accept(Chunk.of(Chunk.Kind.DATA, bytes, 0, bytes.length));
        }
        packer.flush();
      }
    }
    ChunkTable table = new ChunkTable();

    for (Pack pack : packs) {
      table.addAll(
          pack.ref(), PackIndex.decode(pack.ref(), Arrays.copyOf(pack.bytes(), pack.length())));
    }

    assertThat(table.size()).isEqualTo(300);
    int entry = table.find(Hash.of("chunk 7 of 1".getBytes(StandardCharsets.US_ASCII)));
    assertThat(table.packs().get(table.pack(entry))).isEqualTo(packs.get(1).ref());
    assertThat(table.block(entry)).isZero();
    assertThat(table.blocks(1)).hasSize(1);
    assertThat(table.offset(entry)).isEqualTo(7 * "chunk 7 of 1".length());
    assertThat(table.length(entry)).isEqualTo("chunk 7 of 1".length());
    assertThat(table.contains(Hash.of(new byte[1]))).isFalse();
  }

  @Test
  void shouldHoldAMillionChunksIn80Megabytes() {
    SplittableRandom random = new SplittableRandom(11);
    RandomEntries hashes = new RandomEntries(random);
    PackRef pack = new PackRef(hashes.hash(), 1000, 100);
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    int count = 1_000_000;
    Hash[] all = new Hash[count];
    for (int i = 0; i < count; i++) {
      all[i] = hashes.hash();
    }
    ChunkTable table = new ChunkTable();
    int number = table.packNumber(pack);
    long before = threads.getCurrentThreadAllocatedBytes();

    for (Hash hash : all) {
      table.add(hash, number);
    }

    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // Growth discards smaller slot arrays, and creates hashes that escape analysis may remove.
    assertThat(allocated).isLessThan(180_000_000);
    assertThat(table.size()).isEqualTo(count);
    assertThat(table.add(all[5], number)).isFalse();
    for (int i = 0; i < count; i += 997) {
      int entry = table.find(all[i]);
      assertThat(entry).isEqualTo(i);
      assertThat(table.hash(entry)).isEqualTo(all[i]);
      assertThat(table.block(entry)).isEqualTo(ChunkTable.ABSENT);
    }
  }
}
