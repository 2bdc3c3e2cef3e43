/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.Pack;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PackTest {
  @Test
  void shouldGiveBackEveryChunk() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    ChunkMap chunks = new ChunkMap();
    List<Pack> packs = new ArrayList<>();
    try (ChunkPacker packer = new ChunkPacker(packs::add)) {
      for (int i = 0; i < 3000; i++) {
        Chunk chunk = chunk(random, i);
        chunks.accept(chunk);
        packer.accept(chunk);
      }
      packer.flush();
      packer.flush();
    }

    assertThat(packs).as("seed %d", seed).hasSizeGreaterThan(2);
    Set<Hash> found = new HashSet<>();
    for (Pack pack : packs) {
      assertThat(pack.length()).isLessThanOrEqualTo(PackWriter.TARGET);
      assertThat(PackIndex.identify(pack.bytes(), pack.length())).isEqualTo(pack.ref());
      verify(pack, chunks);
      found.addAll(pack.chunks());
    }
    assertThat(found).isEqualTo(chunks.chunks.keySet());
  }

  @Test
  void shouldKeepTheLargestChunk() throws Exception {
    byte[] bytes = new byte[Chunk.MAX];
    new SplittableRandom(1).nextBytes(bytes);
    ChunkMap chunks = new ChunkMap();
    List<Pack> packs = new ArrayList<>();
    try (ChunkPacker packer = new ChunkPacker(packs::add)) {
      for (int i = 0; i < 3; i++) {
        bytes[0] = (byte) i;
        Chunk chunk = Chunk.of(Chunk.Kind.NODE, bytes, 0, bytes.length);
        chunks.accept(chunk);
        packer.accept(chunk);
      }
      packer.flush();
    }

    assertThat(packs).hasSize(3);
    for (Pack pack : packs) {
      verify(pack, chunks);
    }
  }

  @Test
  void shouldTakeChunksOutOfABlock() throws Exception {
    BlockWriter block = new BlockWriter(Chunk.Kind.DATA);
    List<Chunk> added = new ArrayList<>();
    ChunkMap chunks = new ChunkMap();
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 100; i++) {
      Chunk chunk = Chunk.of(Chunk.Kind.DATA, new byte[] {(byte) i, 1, 2, 3}, 0, 1 + i % 4);
      chunks.accept(chunk);
      added.add(chunk);
      block.add(chunk);
    }
    Set<Hash> unwanted = new HashSet<>();
    added.stream().filter(c -> random.nextBoolean()).forEach(c -> unwanted.add(c.hash()));

    block.removeIf(unwanted::contains);

    PackWriter writer = new PackWriter();
    try (BlockCompressor compressor = new BlockCompressor()) {
      assertThat(writer.append(compressor.compress(block))).isNull();
    }
    Pack pack = Objects.requireNonNull(writer.finish());
    verify(pack, chunks);
    assertThat(pack.chunks())
        .isEqualTo(added.stream().map(Chunk::hash).filter(h -> !unwanted.contains(h)).toList());
  }

  private static Chunk chunk(SplittableRandom random, int number) {
    int length =
        random.nextInt(50) == 0 ? random.nextInt(FastCdcChunker.MAX) : random.nextInt(20_000);
    byte[] bytes = new byte[Math.max(length, 8)];
    if (random.nextBoolean()) {
      random.nextBytes(bytes);
    }
    Arrays.fill(bytes, 0, 4, (byte) number);
    bytes[5] = (byte) (number >> 8);
    return Chunk.of(
        random.nextInt(4) == 0 ? Chunk.Kind.NODE : Chunk.Kind.DATA, bytes, 0, bytes.length);
  }

  static void verify(Pack pack, ChunkMap chunks) throws Exception {
    byte[] tail =
        Arrays.copyOfRange(pack.bytes(), pack.length() - pack.ref().indexBytes(), pack.length());
    PackIndex index = PackIndex.decode(pack.ref(), tail);
    assertThat(index.chunkCount()).isEqualTo(pack.chunks().size());
    byte[] raw = new byte[Chunk.MAX];
    int open = -1;
    try (BlockReader reader = new BlockReader()) {
      for (int i = 0; i < index.chunkCount(); i++) {
        if (index.block(i) != open) {
          open = index.block(i);
          BlockSpan span = index.blocks().get(open);
          reader.read(pack.bytes(), span.offset(), span.compressedLength(), raw, span.rawLength());
        }
        assertThat(index.hash(i)).isEqualTo(pack.chunks().get(i));
        BlockReader.check(index.hash(i), raw, index.offset(i), index.length(i));
        assertThat(index.length(i)).isEqualTo(chunks.read(index.hash(i)).length);
      }
    }
  }
}
