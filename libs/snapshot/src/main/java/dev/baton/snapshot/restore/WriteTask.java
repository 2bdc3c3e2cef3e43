/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeEntry;
import java.util.List;

/** One thing to write. */
sealed interface WriteTask {

  /** Where a chunk's bytes come from. */
  sealed interface Source {}

  /** From a block, at this offset. */
  record InBlock(PipelineBlock block, int offset) implements Source {}

  /**
   * From a file that is written already.
   *
   * @param directory path from the root, raw
   * @param position bytes into the file
   */
  record InFile(String directory, String name, long position) implements Source {}

  /**
   * Bytes of a chunk that go to a place in a file.
   *
   * @param position bytes into the file
   */
  record Piece(Hash chunk, Source source, int length, long position) {}

  /** A whole file: nothing, one chunk, or a hole, or a chunk with holes around it. */
  record Small(
      PendingDirectory directory, NodeEntry.File file, List<Piece> pieces, boolean endsInHole)
      implements WriteTask {}

  /** Some pieces of a larger file; the last part that is written finishes the file. */
  record Part(LargeFile file, List<Piece> pieces) implements WriteTask {}

  /** A symbolic link. */
  record Link(PendingDirectory directory, NodeEntry.Symlink link) implements WriteTask {}
}
