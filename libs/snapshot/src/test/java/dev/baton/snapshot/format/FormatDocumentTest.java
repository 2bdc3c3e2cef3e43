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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the example bytes in FORMAT.md are those that are written, and can be read. */
class FormatDocumentTest {
  private static final byte[] ABC = "abc".getBytes(StandardCharsets.US_ASCII);

  private final String document = document();

  @Test
  void shouldDescribeNodesAsTheyAreWritten() throws Exception {
    ChunkMap chunks = new ChunkMap();
    Hash directory = DirectoryNodeTest.write(entries(), chunks);
    byte[] root = NodeCodec.encodeRoot(FileMetadata.of(0755, 300, 0), directory);

    assertThat(hex("directory")).isEqualTo(chunks.read(directory));
    assertThat(hex("root")).isEqualTo(root);
    assertThat(document).contains(directory.toString(), Hash.of(root).toString());
  }

  @Test
  void shouldDescribePacksAsTheyAreWritten() throws Exception {
    List<Pack> packs = new ArrayList<>();
    try (ChunkPacker packer = new ChunkPacker(packs::add)) {
      packer.accept(Chunk.of(Chunk.Kind.DATA, ABC, 0, 3));
      for (String name : List.of("directory", "root")) {
        byte[] node = hex(name);
        packer.accept(Chunk.of(Chunk.Kind.NODE, node, 0, node.length));
      }
      packer.flush();
    }

    Pack pack = packs.getFirst();
    assertThat(Arrays.copyOf(pack.bytes(), pack.length())).isEqualTo(hex("pack"));
    assertThat(document)
        .contains(
            "The pack is `%s`: %d bytes,\n%d of them index and trailer"
                .formatted(pack.ref().id(), pack.ref().size(), pack.ref().indexBytes()));
  }

  @Test
  void shouldDescribePacksAsTheyAreRead() throws Exception {
    PackChunks packs = new PackChunks();
    packs.add(hex("pack"));
    NodeReader reader = new NodeReader(packs);

    NodeEntry.Directory root = reader.root(Hash.of(hex("root")));

    assertThat(DirectoryNodeTest.read(root.node(), packs)).isEqualTo(entries());
    assertThat(packs.read(Hash.of(ABC))).isEqualTo(ABC);
  }

  private static List<NodeEntry> entries() {
    FileContent content = new FileContent.Inline(List.of(new Extent.Data(Hash.of(ABC), 3)));
    return List.of(
        new NodeEntry.File("a", FileMetadata.of(0644, 1, 5), 3, content),
        new NodeEntry.Symlink("b", -1, 0, "a"));
  }

  /** Reads a fenced block: lines of bytes, each followed by at least two spaces and a comment. */
  private byte[] hex(String name) {
    Optional<String> block =
        Stream.of(document.split("```"))
            .filter(part -> part.startsWith("hex " + name + "\n"))
            .findFirst();
    StringBuilder digits = new StringBuilder();
    block
        .orElseThrow()
        .lines()
        .skip(1)
        .forEach(line -> digits.append(line.split(" {2}", 2)[0].replace(" ", "")));
    return HexFormat.of().parseHex(digits);
  }

  private static String document() {
    try {
      return Files.readString(Path.of("FORMAT.md"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
