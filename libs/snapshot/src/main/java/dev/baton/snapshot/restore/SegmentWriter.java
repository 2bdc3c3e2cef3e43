/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.OpenFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the files of segments in one thread. */
record SegmentWriter(
    RestorePipeline pipeline,
    RestoredFileWriter files,
    DirectoryFinalizer ends,
    WrittenChunkReader writtenChunks,
    RestoreProgressCounter written) {
  /** The destination of pieces. */
  @FunctionalInterface
  private interface Place {
    void write(long position, byte[] bytes, int offset, int length)
        throws IOException, InterruptedException;
  }

  /** Returns when no segments are left, or after a failure. */
  void run() throws IOException, InterruptedException {
    for (RestoreSegment segment = pipeline.next(); segment != null; segment = pipeline.next()) {
      if (!write(segment)) {
        return;
      }
      written.add(segment);
      pipeline.written(segment);
    }
  }

  /** Returns false if the pipeline stops before the segment is written. */
  private boolean write(RestoreSegment segment) throws IOException, InterruptedException {
    for (WriteTask task : segment.tasks) {
      boolean done =
          switch (task) {
            case WriteTask.Small small -> write(small);
            case WriteTask.Part part -> write(part);
            case WriteTask.Link(PendingDirectory directory, NodeEntry.Symlink link) -> {
              files.symlink(directory, link);
              ends.release(directory);
              yield true;
            }
          };
      if (!done) {
        return false;
      }
    }
    return true;
  }

  private boolean write(WriteTask.Small small) throws IOException, InterruptedException {
    PendingDirectory directory = small.directory();
    NodeEntry.File file = small.file();
    try (OpenFile open = files.create(directory, file)) {
      if (!write(open::writeAt, small.pieces())) {
        return false;
      }
      if (small.endsInHole()) {
        open.truncate(file.size());
      }
      files.finish(open, directory, file);
    }
    ends.release(directory);
    return true;
  }

  private boolean write(WriteTask.Part part) throws IOException, InterruptedException {
    LargeFile file = part.file();
    OpenFile open = file.open(files);
    Place place =
        (position, bytes, offset, length) -> file.writeAt(open, position, bytes, offset, length);
    if (!write(place, part.pieces())) {
      return false;
    }
    ends.release(file);
    return true;
  }

  private boolean write(Place place, List<WriteTask.Piece> pieces)
      throws IOException, InterruptedException {
    for (WriteTask.Piece piece : pieces) {
      switch (piece.source()) {
        case WriteTask.InBlock(PipelineBlock block, int offset) -> {
          byte @Nullable [] bytes = pipeline.bytes(block);
          if (bytes == null) {
            return false;
          }
          BlockReader.check(piece.chunk(), bytes, offset, piece.length());
          place.write(piece.position(), bytes, offset, piece.length());
        }
        case WriteTask.InFile first -> {
          byte[] bytes = writtenChunks.read(piece.chunk(), first, piece.length());
          place.write(piece.position(), bytes, 0, piece.length());
        }
      }
    }
    return true;
  }
}
