/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FastCdcChunker;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.FileOwner;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.format.NodeWriter;
import dev.baton.snapshot.posix.DirEntry;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.StatBuffer;
import dev.baton.snapshot.scan.FileAttributeReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A minimal capture: one thread, no cache. */
public final class TestCapture {
  private final InMemoryPackSource packs;
  private final Map<String, String> firstNames = new HashMap<>();
  private long bytes;
  private long files;

  private TestCapture(InMemoryPackSource packs) {
    this.packs = packs;
  }

  public static Snapshot of(Path root, InMemoryPackSource packs)
      throws IOException, InterruptedException {
    TestCapture capture = new TestCapture(packs);
    try (OpenDirectory open = OpenDirectory.open(root)) {
      StatBuffer stat = new StatBuffer();
      open.stat(stat);
      FileMetadata meta = meta(stat, open);
      byte[] node = NodeCodec.encodeRoot(meta, capture.directory(open, ""));
      Chunk chunk = Chunk.of(Chunk.Kind.NODE, node, 0, node.length);
      packs.accept(chunk);
      return packs.snapshot(chunk.hash(), capture.bytes, capture.files);
    }
  }

  private Hash directory(OpenDirectory open, String path) throws IOException, InterruptedException {
    List<DirEntry> names = new ArrayList<>(open.list());
    names.sort(Comparator.comparing(DirEntry::name));
    NodeWriter writer = new NodeWriter(packs);
    for (DirEntry each : names) {
      String childPath = path.isEmpty() ? each.name() : path + "/" + each.name();
      NodeEntry entry = entry(open, each.name(), childPath);
      if (entry != null) {
        writer.add(entry);
      }
    }
    return writer.finish();
  }

  private @Nullable NodeEntry entry(OpenDirectory open, String name, String path)
      throws IOException, InterruptedException {
    StatBuffer stat = new StatBuffer();
    open.stat(name, stat);
    switch (stat.kind()) {
      case DIRECTORY -> {
        try (OpenDirectory child = open.openChild(name)) {
          return new NodeEntry.Directory(name, meta(stat, child), directory(child, path));
        }
      }
      case FILE -> {
        files++;
        return file(open, name, path);
      }
      case SYMLINK -> {
        files++;
        return new NodeEntry.Symlink(name, stat.mtimeSeconds, stat.mtimeNanos, open.readlink(name));
      }
      case OTHER, UNKNOWN -> {
        return null;
      }
    }
    throw new AssertionError();
  }

  private NodeEntry file(OpenDirectory open, String name, String path)
      throws IOException, InterruptedException {
    StatBuffer stat = new StatBuffer();
    try (OpenFile file = open.openForReading(name, stat)) {
      String first =
          stat.links == 1 ? null : firstNames.putIfAbsent(stat.device + "/" + stat.inode, path);
      if (first != null) {
        return new NodeEntry.HardLink(name, first);
      }
      bytes += stat.size;
      List<Extent> extents = extents(file, stat.size);
      return new NodeEntry.File(
          name, meta(stat, file), stat.size, ExtentListCodec.content(extents, packs));
    }
  }

  private List<Extent> extents(OpenFile file, long size) throws IOException, InterruptedException {
    List<Extent> extents = new ArrayList<>();
    for (long at = 0; at < size; ) {
      long data = file.seekData(at);
      long from = data < 0 ? size : data;
      if (from > at) {
        extents.add(new Extent.Hole(from - at));
      }
      long end = from < size ? file.seekHole(from) : size;
      data(file, from, end, extents);
      at = end;
    }
    return extents;
  }

  private void data(OpenFile file, long from, long end, List<Extent> extents)
      throws IOException, InterruptedException {
    byte[] window = new byte[(int) Math.min(end - from, FastCdcChunker.MAX)];
    for (long at = from; at < end; ) {
      int length = file.readAt(at, window, 0, (int) Math.min(window.length, end - at));
      int cut =
          end - from <= FastCdcChunker.WHOLE
              ? length
              : FastCdcChunker.next(window, 0, length, ChunkSizes.STANDARD);
      Chunk chunk = Chunk.of(Chunk.Kind.DATA, window, 0, cut);
      packs.accept(chunk);
      extents.add(new Extent.Data(chunk.hash(), cut));
      at += cut;
    }
  }

  private static FileMetadata meta(StatBuffer stat, dev.baton.snapshot.posix.FileHandle open)
      throws IOException {
    boolean own =
        stat.uid == ProcessCredentials.effectiveUser()
            && stat.gid == ProcessCredentials.effectiveGroup();
    FileOwner owner =
        own
            ? null
            : new FileOwner(Integer.toUnsignedLong(stat.uid), Integer.toUnsignedLong(stat.gid));
    return new FileMetadata(
        stat.permissions(),
        stat.mtimeSeconds,
        stat.mtimeNanos,
        owner,
        FileAttributeReader.of(open));
  }
}
