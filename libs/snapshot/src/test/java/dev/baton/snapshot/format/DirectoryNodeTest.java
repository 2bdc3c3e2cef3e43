/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DirectoryNodeTest {
  @Test
  void shouldReadWhatItWrites() throws Exception {
    long seed = System.nanoTime();
    RandomEntries random = new RandomEntries(new SplittableRandom(seed));
    SplittableRandom sizes = new SplittableRandom(seed + 1);
    for (int i = 0; i < 200; i++) {
      List<NodeEntry> entries = random.directory(sizes.nextInt(i == 0 ? 1 : 400));
      ChunkMap chunks = new ChunkMap();

      Hash node = write(entries, chunks);

      assertThat(read(node, chunks)).as("seed %d, tree %d", seed, i).isEqualTo(entries);
      for (byte[] chunk : chunks.chunks.values()) {
        assertThat(NodeCodec.encode(NodeCodec.decode(chunk))).isEqualTo(chunk);
      }
    }
  }

  @Test
  void shouldKeepTheRoot() throws Exception {
    RandomEntries random = new RandomEntries(new SplittableRandom(3));
    FileMetadata meta = random.meta();
    Hash node = random.hash();

    byte[] bytes = NodeCodec.encodeRoot(meta, node);

    assertThat(NodeCodec.decodeRoot(bytes, 0, bytes.length))
        .isEqualTo(new NodeEntry.Directory("", meta, node));
  }

  @Test
  void shouldSplitLargeDirectoriesByContent() throws Exception {
    List<NodeEntry> entries = new ArrayList<>(files(20_000));
    ChunkMap before = new ChunkMap();
    Hash first = write(entries, before);
    ChunkMap after = new ChunkMap();
    entries.add(new NodeEntry.Symlink("name-one-more", 1, 2, "x"));
    entries.sort((a, b) -> a.name().compareTo(b.name()));

    Hash second = write(entries, after);

    assertThat(NodeCodec.decode(before.read(first)))
        .isInstanceOfSatisfying(
            DirectoryNode.Branch.class,
            branch -> assertThat(branch.leaves()).hasSizeBetween(5, 60));
    Set<Hash> changed = new HashSet<>(after.chunks.keySet());
    changed.removeAll(before.chunks.keySet());
    assertThat(changed).contains(second).hasSizeBetween(2, 3);
    assertThat(read(second, after)).isEqualTo(entries);
  }

  @Test
  void shouldEndLeavesOfLargeEntriesEarly() throws Exception {
    String value = "v".repeat(65_536);
    List<NodeEntry> entries = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      List<Xattr> xattrs = List.of(new Xattr("user.a", value), new Xattr("user.b", value));
      FileMetadata meta = new FileMetadata(0644, 0, 0, null, xattrs);
      entries.add(new NodeEntry.File("%03d".formatted(i), meta, 0, FileContent.EMPTY));
    }
    ChunkMap chunks = new ChunkMap();

    Hash node = write(entries, chunks);

    assertThat(read(node, chunks)).isEqualTo(entries);
    assertThat(chunks.chunks.values()).allMatch(chunk -> chunk.length < 4 << 20);
  }

  @Test
  void shouldListManyExtents() throws Exception {
    RandomEntries random = new RandomEntries(new SplittableRandom(5));
    for (int count : new int[] {0, 1, 16, 17, 5000}) {
      ChunkMap chunks = new ChunkMap();
      List<Extent> extents = random.extents(count);
      long size = extents.stream().mapToLong(Extent::length).sum();

      FileContent content = ExtentListCodec.content(extents, chunks);

      assertThat(content)
          .isInstanceOf(count > 16 ? FileContent.Listed.class : FileContent.Inline.class);
      NodeEntry.File file = new NodeEntry.File("f", FileMetadata.of(0, 0, 0), size, content);
      assertThat(ExtentListCodec.of(file, chunks)).isEqualTo(extents);
    }
  }

  @Test
  void shouldRefuseNamesThatDoNotAscend() {
    NodeWriter writer = new NodeWriter(chunk -> {});

    assertThatThrownBy(
            () -> {
              writer.add(new NodeEntry.Symlink("b", 0, 0, "x"));
              writer.add(new NodeEntry.Symlink("a", 0, 0, "x"));
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("entry 'a' after 'b': names must ascend");
    assertThatThrownBy(
            () ->
                new DirectoryNode.Leaf(Collections.nCopies(4097, new NodeEntry.HardLink("a", "b"))))
        .hasMessage("4097 entries; a leaf has at most 4096");
  }

  /** Not a benchmark: detects regressions such as quadratic code. */
  @Test
  void shouldEncodeAMillionEntriesInSeconds() throws Exception {
    List<NodeEntry> entries = files(100_000);
    NodeWriter writer = new NodeWriter(chunk -> {});
    long start = System.nanoTime();

    for (int i = 0; i < 10; i++) {
      for (NodeEntry entry : entries) {
        writer.add(entry);
      }
      writer.finish();
    }

    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf("a million entries encoded and hashed in %.2f s%n", seconds);
    assertThat(seconds).isLessThan(20);
  }

  private static List<NodeEntry> files(int count) {
    RandomEntries random = new RandomEntries(new SplittableRandom(7));
    List<NodeEntry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FileContent content =
          new FileContent.Inline(List.of(new Extent.Data(random.hash(), 100 + i)));
      entries.add(
          new NodeEntry.File(
              "name-%06d".formatted(i), FileMetadata.of(0644, 1_700_000_000, i), 100 + i, content));
    }
    return entries;
  }

  static Hash write(List<NodeEntry> entries, ChunkSink sink) throws Exception {
    NodeWriter writer = new NodeWriter(sink);
    for (NodeEntry entry : entries) {
      writer.add(entry);
    }
    return writer.finish();
  }

  static List<NodeEntry> read(Hash node, ChunkSource source) throws Exception {
    List<NodeEntry> entries = new ArrayList<>();
    new NodeReader(source).read(node, entries::add);
    return entries;
  }
}
