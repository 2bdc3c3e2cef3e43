/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A fixed tree with every kind of entry and content. */
final class FixtureTree {
  private static final int BLOCK = 100;

  private final ChunkSink sink;

  FixtureTree(ChunkSink sink) {
    this.sink = sink;
  }

  /** Writes the tree's chunks to the sink and returns its digest. */
  Hash write() throws Exception {
    List<NodeEntry> root = new ArrayList<>();
    root.add(file("a file", 0644, "some text\n"));
    root.add(new NodeEntry.File("b empty", FileMetadata.of(0400, 0, 0), 0, FileContent.EMPTY));
    root.add(directory("c nothing in it", 01777, List.of()));
    root.add(
        directory(
            "d",
            0755,
            List.of(
                new NodeEntry.HardLink("another name", "a file"),
                new NodeEntry.Symlink("dangling", -1, 999_999_999, "../nowhere/at all"),
                file("set uid", 06755, "#!/bin/sh\n"))));
    root.add(withEverything());
    root.add(inline());
    root.add(listed());
    root.add(directory("h" + "\u00e4".repeat(254), 0700, List.of()));
    root.add(file("i\nline", 0600, "name with a newline"));
    root.add(large());
    root.add(new NodeEntry.Symlink("k \u00ff\u0001", Long.MIN_VALUE, 0, "\u00fe".repeat(4095)));
    Hash node = DirectoryNodeTest.write(root, sink);
    byte[] bytes = NodeCodec.encodeRoot(FileMetadata.of(0755, 1_700_000_000, 5), node);
    sink.accept(Chunk.of(Chunk.Kind.NODE, bytes, 0, bytes.length));
    return Hash.of(bytes);
  }

  private NodeEntry withEverything() throws Exception {
    List<Xattr> xattrs =
        List.of(new Xattr("user.a", ""), new Xattr("user.b", "value\0with NUL\u00ff"));
    FileMetadata meta =
        new FileMetadata(0640, Long.MAX_VALUE, 1, new FileOwner(1000, 4_294_967_294L), xattrs);
    Extent extent = data("owned by another");
    return new NodeEntry.File(
        "e owner and attributes", meta, extent.length(), new FileContent.Inline(List.of(extent)));
  }

  private NodeEntry inline() throws Exception {
    List<Extent> extents =
        List.of(new Extent.Hole(1L << 40), data("in the middle"), new Extent.Hole(4096));
    return extents("f sparse", extents);
  }

  private NodeEntry listed() throws Exception {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      extents.add(data("part %d ".formatted(i).repeat(BLOCK)));
      if (i % 5 == 0) {
        extents.add(new Extent.Hole(1 + i));
      }
    }
    return extents("g many parts", extents);
  }

  private NodeEntry large() throws Exception {
    List<NodeEntry> entries = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      entries.add(new NodeEntry.HardLink("%04d".formatted(i), "a file"));
    }
    return directory("j", 0755, entries);
  }

  private NodeEntry extents(String name, List<Extent> extents) throws Exception {
    long size = extents.stream().mapToLong(Extent::length).sum();
    return new NodeEntry.File(
        name,
        FileMetadata.of(0644, 1_700_000_000, 0),
        size,
        ExtentListCodec.content(extents, sink));
  }

  private NodeEntry file(String name, int mode, String text) throws Exception {
    Extent extent = data(text);
    return new NodeEntry.File(
        name,
        FileMetadata.of(mode, 1_700_000_000, 123_456_789),
        extent.length(),
        new FileContent.Inline(List.of(extent)));
  }

  private NodeEntry directory(String name, int mode, List<NodeEntry> entries) throws Exception {
    return new NodeEntry.Directory(
        name, FileMetadata.of(mode, 1_600_000_000, 1), DirectoryNodeTest.write(entries, sink));
  }

  private Extent data(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    Chunk chunk = Chunk.of(Chunk.Kind.DATA, bytes, 0, bytes.length);
    sink.accept(chunk);
    return new Extent.Data(chunk.hash(), bytes.length);
  }

  /** Describes each entry of a tree completely, in one line of ASCII. */
  static List<String> describe(Hash root, ChunkSource source) throws Exception {
    List<String> lines = new ArrayList<>();
    NodeReader reader = new NodeReader(source);
    NodeEntry.Directory top = reader.root(root);
    lines.add(line("", top, source));
    describe(top.node(), "", reader, source, lines);
    return lines;
  }

  private static void describe(
      Hash node, String path, NodeReader reader, ChunkSource source, List<String> lines)
      throws Exception {
    reader.read(
        node,
        entry -> {
          String name = path + "/" + entry.name();
          try {
            lines.add(line(name, entry, source));
            if (entry instanceof NodeEntry.Directory directory) {
              describe(directory.node(), name, reader, source, lines);
            }
          } catch (RuntimeException | java.io.IOException | InterruptedException e) {
            throw e;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  private static String line(String path, NodeEntry entry, ChunkSource source) throws Exception {
    return ascii(path)
        + switch (entry) {
          case NodeEntry.Directory d -> " directory " + meta(d.meta()) + " " + d.node();
          case NodeEntry.File f ->
              " file %s %d%s".formatted(meta(f.meta()), f.size(), parts(f, source));
          case NodeEntry.Symlink l ->
              " symlink %d.%09d %s".formatted(l.seconds(), l.nanos(), ascii(l.target()));
          case NodeEntry.HardLink h -> " hardlink " + ascii(h.path());
        };
  }

  private static String parts(NodeEntry.File file, ChunkSource source) throws Exception {
    StringBuilder parts = new StringBuilder();
    for (Extent extent : ExtentListCodec.of(file, source)) {
      switch (extent) {
        case Extent.Hole(long length) -> parts.append(" hole:").append(length);
        case Extent.Data(Hash chunk, int size) -> {
          if (source.read(chunk).length != size) {
            throw new AssertionError("chunk " + chunk + " has another length than " + size);
          }
          parts.append(' ').append(size).append(':').append(chunk.hex(), 0, 16);
        }
      }
    }
    return parts.toString();
  }

  private static String meta(FileMetadata meta) {
    StringBuilder text =
        new StringBuilder("%04o %d.%09d".formatted(meta.mode(), meta.seconds(), meta.nanos()));
    @Nullable FileOwner owner = meta.owner();
    if (owner != null) {
      text.append(" %d:%d".formatted(owner.uid(), owner.gid()));
    }
    meta.xattrs().forEach(x -> text.append(" %s=%s".formatted(ascii(x.name()), ascii(x.value()))));
    return text.toString();
  }

  private static String ascii(String raw) {
    StringBuilder text = new StringBuilder();
    for (char c : raw.toCharArray()) {
      text.append(
          c > ' ' && c < 127 && c != '\\' ? String.valueOf(c) : "\\%03o".formatted((int) c));
    }
    return text.toString();
  }
}
