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

/** A unit of writing. */
sealed interface WriteTask {

  /** The source of a chunk's bytes. */
  sealed interface Source {}

  /** A block, at this offset. */
  record InBlock(PipelineBlock block, int offset) implements Source {}

  /**
   * A file that is already written.
   *
   * @param directory path from the root, raw
   * @param position offset in the file in bytes
   */
  record InFile(String directory, String name, long position) implements Source {}

  /**
   * Bytes of a chunk with their position in a file.
   *
   * @param position offset in the file in bytes
   */
  record Piece(Hash chunk, Source source, int length, long position) {}

  /** A whole file: empty, one chunk, a hole, or one chunk with holes around it. */
  record Small(
      PendingDirectory directory, NodeEntry.File file, List<Piece> pieces, boolean endsInHole)
      implements WriteTask {}

  /** Some pieces of a larger file; the part that is written last finishes the file. */
  record Part(LargeFile file, List<Piece> pieces) implements WriteTask {}

  /** A symbolic link. */
  record Link(PendingDirectory directory, NodeEntry.Symlink link) implements WriteTask {}
}
