/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.Pack;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Reads packs of the first version, which must stay readable permanently. A later version of the
 * format gets its own directory; the files of this one are never rewritten.
 */
class FixtureTest {
  private static final List<String> PACKS = List.of("data.pack", "nodes.pack");

  @Test
  void shouldReadWhatWasWritten() throws Exception {
    List<String> text = text();

    List<String> lines = FixtureTree.describe(Hash.parse(text.getFirst()), packs());

    assertThat(lines).isEqualTo(text.subList(1, text.size()));
  }

  @Test
  void shouldGiveTheSameDigestToTheSameTree() throws Exception {
    Hash digest = new FixtureTree(chunk -> {}).write();

    assertThat(digest).hasToString(text().getFirst());
  }

  @Test
  void shouldHaveEveryKindOfChunk() throws Exception {
    List<String> kinds =
        packs().all(Chunk.Kind.NODE).stream()
            .map(chunk -> new String(chunk, 0, 4, StandardCharsets.ISO_8859_1).replace('\1', ' '))
            .map(start -> start.startsWith("BL") ? "BL" : start)
            .distinct()
            .toList();

    assertThat(kinds).containsExactlyInAnyOrder("BN L", "BN B", "BL");
  }

  /** The compression of packs may change, their chunks may not. */
  @Test
  void shouldPackTheSameChunks() throws Exception {
    PackChunks kept = packs();
    List<Pack> packs = new ArrayList<>();
    try (ChunkPacker packer = new ChunkPacker(packs::add)) {
      new FixtureTree(packer).write();
      packer.flush();
    }

    List<Hash> chunks = packs.stream().flatMap(pack -> pack.chunks().stream()).distinct().toList();
    assertThat(chunks).hasSize(kept.table.size()).allMatch(kept.table::contains);
  }

  /** Writes the files: {@code -Dbaton.fixtures.directory=src/test/resources/format/v2}. */
  @Test
  @EnabledIfSystemProperty(named = "baton.fixtures.directory", matches = ".+")
  void shouldWriteFixtures() throws Exception {
    Path directory = Path.of(System.getProperty("baton.fixtures.directory"));
    List<Chunk> chunks = new ArrayList<>();
    ChunkMap map = new ChunkMap();
    Hash root =
        new FixtureTree(
                chunk -> {
                  map.accept(chunk);
                  byte[] copy = map.read(chunk.hash());
                  chunks.add(new Chunk(chunk.kind(), chunk.hash(), copy, 0, copy.length));
                })
            .write();
    for (Chunk.Kind kind : Chunk.Kind.values()) {
      try (ChunkPacker packer = new ChunkPacker(pack -> write(directory, kind, pack))) {
        for (Chunk chunk : chunks.stream().filter(c -> c.kind() == kind).toList()) {
          packer.accept(chunk);
        }
        packer.flush();
      }
    }
    List<String> lines = new ArrayList<>(List.of(root.toString()));
    lines.addAll(FixtureTree.describe(root, map));
    Files.write(directory.resolve("tree.txt"), lines);
  }

  private static void write(Path directory, Chunk.Kind kind, Pack pack) throws IOException {
    Files.write(
        directory.resolve(PACKS.get(kind.ordinal())), Arrays.copyOf(pack.bytes(), pack.length()));
  }

  static PackChunks packs() throws IOException {
    PackChunks packs = new PackChunks();
    for (String name : PACKS) {
      packs.add(resource(name));
    }
    return packs;
  }

  private static List<String> text() throws IOException {
    return new String(resource("tree.txt"), StandardCharsets.US_ASCII).lines().toList();
  }

  private static byte[] resource(String name) throws IOException {
    String path = "/format/v1/" + name;
    try (InputStream in = FixtureTest.class.getResourceAsStream(path)) {
      return Objects.requireNonNull(in, path).readAllBytes();
    }
  }
}
