/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.DirectoryNode;
import dev.baton.snapshot.format.Extent;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeCodec;
import dev.baton.snapshot.format.NodeEntry;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records which chunks read through it refer to others: nodes of large directories, and chunk lists
 * of files. Not thread-safe.
 */
final class CompositeChunkRecorder implements ChunkSource {
  /** Offset of the kind in a node. */
  private static final int KIND = 3;

  private final ChunkSource source;
  private final Map<Hash, List<Hash>> parts = new HashMap<>();

  CompositeChunkRecorder(ChunkSource source) {
    this.source = source;
  }

  @Override
  public byte[] read(Hash chunk) throws IOException, InterruptedException {
    byte[] bytes = source.read(chunk);
    // The caller decodes leaves; only the few branches are decoded here as well.
    if (bytes.length > KIND
        && bytes[KIND] == 'B'
        && NodeCodec.decode(bytes) instanceof DirectoryNode.Branch(List<Hash> leaves)) {
      parts.put(chunk, leaves);
    }
    return bytes;
  }

  /** Records the chunk list of a file, if it has one. */
  void add(NodeEntry.File file) throws IOException, InterruptedException {
    if (file.content() instanceof FileContent.Listed(Hash list) && !parts.containsKey(list)) {
      parts.put(
          list,
          ExtentListCodec.of(file, source).stream()
              .flatMap(CompositeChunkRecorder::chunk)
              .toList());
    }
  }

  private static Stream<Hash> chunk(Extent extent) {
    return switch (extent) {
      case Extent.Data(Hash chunk, int size) -> Stream.of(chunk);
      case Extent.Hole hole -> Stream.empty();
    };
  }

  /** Returns the recorded chunks with the chunks that they refer to. */
  Map<Hash, List<Hash>> parts() {
    return Map.copyOf(parts);
  }
}
