/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.format.ChunkTable;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.scan.DirState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Finds the packs that a stored tree needs, and builds a table of only its chunks. Single use, one
 * thread.
 */
final class StoredTreeIndex {
  /** A pack of at least this size is never rewritten. */
  static final long SMALL = 8 << 20;

  /** More small packs than this slow down commits and restores, and enlarge each manifest. */
  static final int MANY = 24;

  /** A pack of at most this size is rewritten in any case: it costs less than its upload. */
  private static final long TINY = 16 << 10;

  private final ChunkTable from;
  private final CompositeChunkRegistry composites;
  private final ChunkTable table = new ChunkTable();
  private final CompositeChunkRegistry used = new CompositeChunkRegistry();
  private long files;

  private StoredTreeIndex(ChunkTable from, CompositeChunkRegistry composites) {
    this.from = from;
    this.composites = composites;
  }

  /**
   * @param from has all chunks of the tree
   */
  static StoredTreeIndex of(
      DirState state, Hash digest, ChunkTable from, CompositeChunkRegistry composites) {
    StoredTreeIndex tree = new StoredTreeIndex(from, composites);
    tree.add(digest);
    Deque<DirState> pending = new ArrayDeque<>();
    pending.push(state);
    while (!pending.isEmpty()) {
      tree.add(pending.pop(), pending);
    }
    return tree;
  }

  ChunkTable table() {
    return table;
  }

  /** Returns the composite chunks of the tree: large directories and files. */
  CompositeChunkRegistry composites() {
    return used;
  }

  /** Returns the number of names that are not directories. */
  long files() {
    return files;
  }

  List<PackRef> packs() {
    return List.copyOf(table.packs());
  }

  /** Returns whether there are so many small packs that some should be merged. */
  static boolean isScattered(List<PackRef> packs) {
    return packs.stream().filter(StoredTreeIndex::isSmall).count() > MANY;
  }

  private static boolean isSmall(PackRef pack) {
    return pack.size() < SMALL;
  }

  /**
   * Returns a table without the packs to rewrite: the smallest of the small packs. So the number of
   * times a chunk is rewritten grows with the logarithm of the data around it, not with every
   * capture.
   */
  ChunkTable withoutSmallest() {
    long small =
        table.packs().stream().filter(StoredTreeIndex::isSmall).mapToLong(PackRef::size).sum();
    long limit = Math.max(TINY, small / (MANY / 2));
    ChunkTable rest = new ChunkTable();
    for (int entry = 0; entry < table.size(); entry++) {
      PackRef pack = table.packs().get(table.pack(entry));
      if (!isSmall(pack) || pack.size() > limit) {
        rest.add(table.hash(entry), rest.packNumber(pack));
      }
    }
    return rest;
  }

  private void add(DirState state, Deque<DirState> pending) {
    Hash node = state.node();
    if (node == null) {
      throw new IllegalStateException("the tree is incomplete");
    }
    addAll(node);
    for (int i = 0; i < state.size(); i++) {
      if (!state.isPresent(i)) {
        continue;
      }
      files += state.kind(i) == FileKind.DIRECTORY ? 0 : 1;
      if (state.kind(i) == FileKind.DIRECTORY) {
        pending.push(state.child(i));
      } else if (state.kind(i) == FileKind.FILE && state.linkTo(i) == null) {
        FileContent content = state.content(i);
        switch (content) {
          case null -> throw new IllegalStateException("the tree is incomplete");
          case FileContent.Inline(List<Extent> extents) -> extents.forEach(this::add);
          case FileContent.Listed(Hash list) -> addAll(list);
        }
      }
    }
  }

  private void add(Extent extent) {
    switch (extent) {
      case Extent.Data(Hash chunk, int size) -> add(chunk);
      case Extent.Hole hole -> {}
    }
  }

  private void addAll(Hash composite) {
    add(composite);
    List<Hash> parts = new ArrayList<>(composites.partsOf(composite));
    if (!parts.isEmpty()) {
      used.put(composite, parts);
      parts.forEach(this::add);
    }
  }

  private void add(Hash chunk) {
    int entry = from.find(chunk);
    if (entry == ChunkTable.ABSENT) {
      throw new IllegalStateException("chunk " + chunk + " is in no pack");
    }
    if (!table.contains(chunk)) {
      table.add(chunk, table.packNumber(from.packs().get(from.pack(entry))));
    }
  }
}
