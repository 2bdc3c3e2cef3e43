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
 * Modes that would keep an ordinary user from verifying what has been written: they are set after
 * that, what is in a directory before the directory. Thread-safe.
 */
final class DeferredModeSetter {
  private record Late(String directory, String name, int mode) {}

  private final List<Late> late = new ArrayList<>();

  /** The mode that a directory has until {@link #set}. */
  static int meanwhileOfDirectory(int mode) {
    return ProcessCredentials.isSuperuser() || (mode & 0500) == 0500 ? mode : mode | 0700;
  }

  /** The mode that a file has until {@link #set}; only reading its attributes needs more. */
  static int meanwhileOfFile(FileMetadata meta, int mode) {
    boolean readable = meta.xattrs().isEmpty() || (mode & 0400) != 0;
    return ProcessCredentials.isSuperuser() || readable ? mode : mode | 0400;
  }

  /** Of the root, both names are empty. */
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
