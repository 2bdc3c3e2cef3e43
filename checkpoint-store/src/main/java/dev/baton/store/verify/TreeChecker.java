/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.DirectoryNode;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Walks a checkpoint's tree, level by level, and checks that every referenced chunk is in one of
 * the checkpoint's packs. Holds the hashes of the directories in memory, and of files only a
 * bounded number; does not read the content of files. Not thread-safe. Blocks.
 */
final class TreeChecker {
  private static final int BATCH = 4_000;

  /** Chunk lists that are held in memory before they are read. */
  static final int MOST_LISTS = 20_000;

  /** Maximum directories in a tree. */
  private static final int MOST_NODES = 2_000_000;

  private final ChunkBatchSource chunks;
  private final Set<Hash> complete;
  private final Set<Hash> seen = new HashSet<>();
  private final Deque<Hash> nodes = new ArrayDeque<>();
  private final Map<Hash, NodeEntry.File> lists = new HashMap<>();
  private final Set<Hash> data = new HashSet<>();

  /**
   * @param complete nodes whose subtrees are already verified in these packs
   */
  TreeChecker(ChunkBatchSource chunks, Set<Hash> complete) {
    this.chunks = chunks;
    this.complete = complete;
  }

  /** The nodes that were read; their subtrees are complete if the check found no problem. */
  Set<Hash> seen() {
    return seen;
  }

  /** Returns the first problem of the tree; empty if there is none. */
  Optional<String> check(Hash root) {
    try {
      if (!complete.contains(root)) {
        seen.add(root);
        chunks.read(
            new HashSet<>(Set.of(root)),
            (hash, bytes) -> open(NodeCodec.decodeRoot(bytes, 0, bytes.length).node()));
        while (!nodes.isEmpty()) {
          readNodes();
        }
        readLists();
        requireData();
      }
      return Optional.empty();
    } catch (SnapshotException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void open(Hash node) throws SnapshotException {
    if (!complete.contains(node) && seen.add(node)) {
      if (seen.size() > MOST_NODES) {
        throw new SnapshotException.TooManyEntries(
            "a tree of more than " + MOST_NODES + " directories");
      }
      nodes.add(node);
    }
  }

  private void readNodes() throws IOException {
    Set<Hash> batch = new HashSet<>();
    while (!nodes.isEmpty() && batch.size() < BATCH) {
      batch.add(nodes.poll());
    }
    chunks.read(
        batch,
        (hash, bytes) -> {
          switch (NodeCodec.decode(bytes)) {
            case DirectoryNode.Branch(List<Hash> leaves) -> {
              for (Hash leaf : leaves) {
                open(leaf);
              }
            }
            case DirectoryNode.Leaf(List<NodeEntry> entries) -> {
              for (NodeEntry entry : entries) {
                take(entry);
              }
            }
          }
        });
  }

  private void take(NodeEntry entry) throws IOException {
    switch (entry) {
      case NodeEntry.Directory directory -> open(directory.node());
      case NodeEntry.File file -> {
        switch (file.content()) {
          case FileContent.Inline(List<Extent> extents) -> need(extents);
          case FileContent.Listed(Hash list) -> {
            lists.putIfAbsent(list, file);
            if (lists.size() >= MOST_LISTS) {
              readLists();
            }
          }
        }
      }
      case NodeEntry.Symlink link -> {}
      case NodeEntry.HardLink link -> {}
    }
  }

  private void readLists() throws IOException {
    chunks.read(
        new HashSet<>(lists.keySet()),
        (hash, bytes) -> {
          NodeEntry.File file = lists.get(hash);
          if (file != null) {
            try {
              need(ExtentListCodec.of(file, wanted -> bytes));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              throw new InterruptedIOException();
            }
          }
        });
    lists.clear();
  }

  private void need(List<Extent> extents) throws SnapshotException {
    for (Extent extent : extents) {
      if (extent instanceof Extent.Data(Hash chunk, int size)) {
        data.add(chunk);
      }
    }
    if (data.size() >= BATCH) {
      requireData();
    }
  }

  private void requireData() throws SnapshotException {
    chunks.require(data);
    data.clear();
  }
}
