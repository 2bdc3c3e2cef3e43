/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.ChunkSink;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeWriter;
import dev.baton.snapshot.scan.DirState;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Builds the nodes of directories, from the leaves up. Single use, one thread. */
final class DirectoryNodeBuilder {
  private final ChunkSink sink;
  private final Predicate<Hash> stored;
  private final CompositeChunkRegistry composites;
  private final NodeWriter writer = new NodeWriter(this::emit);
  private final List<Hash> emitted = new ArrayList<>();

  /**
   * @param stored whether a known node (and all chunks that it refers to) is in the store
   */
  DirectoryNodeBuilder(ChunkSink sink, Predicate<Hash> stored, CompositeChunkRegistry composites) {
    this.sink = sink;
    this.stored = stored;
    this.composites = composites;
  }

  /**
   * Builds all nodes and returns the digest of the tree.
   *
   * @param before a state whose nodes are all in the store; null if none is known
   */
  Hash root(DirState root, @Nullable DirState before) throws IOException, InterruptedException {
    byte[] bytes = NodeCodec.encodeRoot(root.meta(), below(root, before));
    Chunk chunk = Chunk.of(Chunk.Kind.NODE, bytes, 0, bytes.length);
    sink.accept(chunk);
    return chunk.hash();
  }

  private void emit(Chunk chunk) throws IOException, InterruptedException {
    emitted.add(chunk.hash());
    sink.accept(chunk);
  }

  private static final class Step {
    private final DirState state;
    private final ChangedDirectoryIterator changed;

    Step(DirState state, @Nullable DirState before) {
      this.state = state;
      changed = new ChangedDirectoryIterator(state, before);
    }
  }

  private Hash below(DirState root, @Nullable DirState before)
      throws IOException, InterruptedException {
    Deque<Step> way = new ArrayDeque<>();
    way.push(new Step(root, before));
    while (true) {
      ChangedDirectoryIterator.Changed child = way.getFirst().changed.next();
      if (child != null) {
        way.push(new Step(child.state(), child.before()));
        continue;
      }
      Hash node = node(way.pop().state);
      if (way.isEmpty()) {
        return node;
      }
    }
  }

  /** Builds the node of a directory after those of all its subdirectories. */
  private Hash node(DirState state) throws IOException, InterruptedException {
    Hash known = state.node();
    if (known != null && stored.test(known)) {
      return known;
    }
    emitted.clear();
    for (int i = 0; i < state.size(); i++) {
      if (state.isPresent(i)) {
        writer.add(state.entry(i));
      }
    }
    Hash node = writer.finish();
    if (emitted.size() > 1) {
      composites.put(node, emitted.subList(0, emitted.size() - 1));
    }
    if (known == null) {
      state.seal(node);
    }
    return node;
  }
}
