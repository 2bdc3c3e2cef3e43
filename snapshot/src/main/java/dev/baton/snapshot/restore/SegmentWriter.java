/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.Entry;
import dev.baton.snapshot.posix.OpenFile;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One of the threads that write files. */
final class SegmentWriter {
  private final Pipeline pipeline;
  private final FileWriter files;
  private final DirectoryEnd ends;
  private final WrittenChunks writtenChunks;
  private final Written written;

  /** Where pieces go. */
  @FunctionalInterface
  private interface Place {
    void write(long position, byte[] bytes, int offset, int length)
        throws IOException, InterruptedException;
  }

  SegmentWriter(
      Pipeline pipeline,
      FileWriter files,
      DirectoryEnd ends,
      WrittenChunks writtenChunks,
      Written written) {
    this.pipeline = pipeline;
    this.files = files;
    this.ends = ends;
    this.writtenChunks = writtenChunks;
    this.written = written;
  }

  /** Returns when there is nothing to write any more, or all has failed. */
  void run() throws IOException, InterruptedException {
    for (Segment segment = pipeline.next(); segment != null; segment = pipeline.next()) {
      if (!write(segment)) {
        return;
      }
      written.add(segment);
      pipeline.written(segment);
    }
  }

  /** False when all is over before this is written. */
  private boolean write(Segment segment) throws IOException, InterruptedException {
    for (Task task : segment.tasks) {
      boolean done =
          switch (task) {
            case Task.Small small -> write(small);
            case Task.Part part -> write(part);
            case Task.Link(WorkDirectory directory, Entry.Symlink link) -> {
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

  private boolean write(Task.Small small) throws IOException, InterruptedException {
    WorkDirectory directory = small.directory();
    Entry.File file = small.file();
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

  private boolean write(Task.Part part) throws IOException, InterruptedException {
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

  private boolean write(Place place, List<Task.Piece> pieces)
      throws IOException, InterruptedException {
    for (Task.Piece piece : pieces) {
      switch (piece.source()) {
        case Task.InBlock(Block block, int offset) -> {
          byte @Nullable [] bytes = pipeline.bytes(block);
          if (bytes == null) {
            return false;
          }
          BlockReader.check(piece.chunk(), bytes, offset, piece.length());
          place.write(piece.position(), bytes, offset, piece.length());
        }
        case Task.InFile first -> {
          byte[] bytes = writtenChunks.read(piece.chunk(), first, piece.length());
          place.write(piece.position(), bytes, 0, piece.length());
        }
      }
    }
    return true;
  }
}
