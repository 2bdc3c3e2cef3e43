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

/** A tree with every kind of entry and of content, always the same. */
final class FixtureTree {
  private static final int BLOCK = 100;

  private final ChunkSink sink;

  FixtureTree(ChunkSink sink) {
    this.sink = sink;
  }

  /** Gives the tree's chunks to the sink; its digest. */
  Hash write() throws Exception {
    List<Entry> root = new ArrayList<>();
    root.add(file("a file", 0644, "some text\n"));
    root.add(new Entry.File("b empty", Meta.of(0400, 0, 0), 0, Content.EMPTY));
    root.add(directory("c nothing in it", 01777, List.of()));
    root.add(
        directory(
            "d",
            0755,
            List.of(
                new Entry.HardLink("another name", "a file"),
                new Entry.Symlink("dangling", -1, 999_999_999, "../nowhere/at all"),
                file("set uid", 06755, "#!/bin/sh\n"))));
    root.add(withEverything());
    root.add(inline());
    root.add(listed());
    root.add(directory("h" + "\u00e4".repeat(254), 0700, List.of()));
    root.add(file("i\nline", 0600, "name with a newline"));
    root.add(large());
    root.add(new Entry.Symlink("k \u00ff\u0001", Long.MIN_VALUE, 0, "\u00fe".repeat(4095)));
    Hash node = NodeTest.write(root, sink);
    byte[] bytes = NodeCodec.encodeRoot(Meta.of(0755, 1_700_000_000, 5), node);
    sink.accept(Chunk.of(Chunk.Kind.NODE, bytes, 0, bytes.length));
    return Hash.of(bytes);
  }

  private Entry withEverything() throws Exception {
    List<Xattr> xattrs =
        List.of(new Xattr("user.a", ""), new Xattr("user.b", "value\0with NUL\u00ff"));
    Meta meta = new Meta(0640, Long.MAX_VALUE, 1, new Owner(1000, 4_294_967_294L), xattrs);
    Extent extent = data("owned by another");
    return new Entry.File(
        "e owner and attributes", meta, extent.length(), new Content.Inline(List.of(extent)));
  }

  private Entry inline() throws Exception {
    List<Extent> extents =
        List.of(new Extent.Hole(1L << 40), data("in the middle"), new Extent.Hole(4096));
    return extents("f sparse", extents);
  }

  private Entry listed() throws Exception {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      extents.add(data("part %d ".formatted(i).repeat(BLOCK)));
      if (i % 5 == 0) {
        extents.add(new Extent.Hole(1 + i));
      }
    }
    return extents("g many parts", extents);
  }

  private Entry large() throws Exception {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      entries.add(new Entry.HardLink("%04d".formatted(i), "a file"));
    }
    return directory("j", 0755, entries);
  }

  private Entry extents(String name, List<Extent> extents) throws Exception {
    long size = extents.stream().mapToLong(Extent::length).sum();
    return new Entry.File(
        name, Meta.of(0644, 1_700_000_000, 0), size, ExtentList.content(extents, sink));
  }

  private Entry file(String name, int mode, String text) throws Exception {
    Extent extent = data(text);
    return new Entry.File(
        name,
        Meta.of(mode, 1_700_000_000, 123_456_789),
        extent.length(),
        new Content.Inline(List.of(extent)));
  }

  private Entry directory(String name, int mode, List<Entry> entries) throws Exception {
    return new Entry.Directory(
        name, Meta.of(mode, 1_600_000_000, 1), NodeTest.write(entries, sink));
  }

  private Extent data(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    Chunk chunk = Chunk.of(Chunk.Kind.DATA, bytes, 0, bytes.length);
    sink.accept(chunk);
    return new Extent.Data(chunk.hash(), bytes.length);
  }

  /** One line for each entry of a tree, all there is to know of it, in ASCII. */
  static List<String> describe(Hash root, ChunkSource source) throws Exception {
    List<String> lines = new ArrayList<>();
    NodeReader reader = new NodeReader(source);
    Entry.Directory top = reader.root(root);
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
            if (entry instanceof Entry.Directory directory) {
              describe(directory.node(), name, reader, source, lines);
            }
          } catch (RuntimeException | java.io.IOException | InterruptedException e) {
            throw e;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  private static String line(String path, Entry entry, ChunkSource source) throws Exception {
    return ascii(path)
        + switch (entry) {
          case Entry.Directory d -> " directory " + meta(d.meta()) + " " + d.node();
          case Entry.File f ->
              " file %s %d%s".formatted(meta(f.meta()), f.size(), parts(f, source));
          case Entry.Symlink l ->
              " symlink %d.%09d %s".formatted(l.seconds(), l.nanos(), ascii(l.target()));
          case Entry.HardLink h -> " hardlink " + ascii(h.path());
        };
  }

  private static String parts(Entry.File file, ChunkSource source) throws Exception {
    StringBuilder parts = new StringBuilder();
    for (Extent extent : ExtentList.of(file, source)) {
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

  private static String meta(Meta meta) {
    StringBuilder text =
        new StringBuilder("%04o %d.%09d".formatted(meta.mode(), meta.seconds(), meta.nanos()));
    @Nullable Owner owner = meta.owner();
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
