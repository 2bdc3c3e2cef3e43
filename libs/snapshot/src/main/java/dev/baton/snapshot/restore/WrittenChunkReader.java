/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.files.NoFollowPathWalker;
import dev.baton.snapshot.format.ChunkSource;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.posix.NotRegularException;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;

/**
 * Reads chunks that this restore has already written from their files, or from the packs if that is
 * not possible. Thread-safe.
 */
record WrittenChunkReader(OpenDirectory root, ChunkSource packs) {
  /** Returns the chunk's bytes after verifying its hash. */
  byte[] read(Hash chunk, WriteTask.InFile place, int length)
      throws IOException, InterruptedException {
    byte[] bytes = new byte[length];
    try (NoFollowPathWalker in = NoFollowPathWalker.to(root, place.directory());
        OpenFile file = in.directory().openForReading(place.name(), new StatBuffer())) {
      if (file.readAt(place.position(), bytes, 0, length) == length
          && Hash.of(bytes, 0, length).equals(chunk)) {
        return bytes;
      }
    } catch (PosixException | NotRegularException unreadable) {
      // Even its owner may not be allowed to read the file, or to enter its directory.
    }
    return packs.read(chunk);
  }
}
