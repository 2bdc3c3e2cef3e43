/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.files.NoFollowPathWalker;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.ProcessCredentials;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Defers modes that would prevent an ordinary user from verifying the restored files: sets them
 * after verification, those in a directory before that of the directory. Thread-safe.
 */
final class DeferredModeSetter {
  private record Late(String directory, String name, int mode) {}

  private final List<Late> late = new ArrayList<>();

  /** Returns the mode of a directory until {@link #set}. */
  static int meanwhileOfDirectory(int mode) {
    return ProcessCredentials.isSuperuser() || (mode & 0500) == 0500 ? mode : mode | 0700;
  }

  /**
   * Returns the mode of a file until {@link #set}; only a file whose attributes must be read needs
   * more rights.
   */
  static int meanwhileOfFile(FileMetadata meta, int mode) {
    boolean readable = meta.xattrs().isEmpty() || (mode & 0400) != 0;
    return ProcessCredentials.isSuperuser() || readable ? mode : mode | 0400;
  }

  /** Both names are empty for the root. */
  synchronized void add(String directory, String name, int mode) {
    late.add(new Late(directory, name, mode));
  }

  synchronized void set(OpenDirectory root) throws IOException {
    for (Late each : late) {
      if (each.name.isEmpty()) {
        root.chmod(each.mode);
      } else {
        try (NoFollowPathWalker parent = NoFollowPathWalker.to(root, each.directory)) {
          parent.directory().chmod(each.name, each.mode);
        }
      }
    }
  }
}
