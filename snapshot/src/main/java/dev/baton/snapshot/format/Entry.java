/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/** One name in a directory; names, targets and paths are raw bytes, one per char. */
public sealed interface Entry {
  /** Levels of directories below the root that a tree may have. */
  int MAX_DEPTH = 2048;

  /** 1 to 255 bytes; empty only for the root of a tree. */
  String name();

  /** A directory and the hash of its node. */
  record Directory(String name, Meta meta, Hash node) implements Entry {
    public Directory {
      if (!name.isEmpty()) {
        RawBytes.requireName(name);
      }
    }
  }

  /** A regular file of {@code size} bytes. */
  record File(String name, Meta meta, long size, Content content) implements Entry {
    public File {
      RawBytes.requireName(name);
      if (size < 0) {
        throw new IllegalArgumentException("a file has no negative size: " + size);
      }
      if (content instanceof Content.Inline inline) {
        ExtentList.requireSum(inline.extents(), size);
      }
    }
  }

  /** A symbolic link; {@code target} is any 1 to 4095 bytes without NUL. */
  record Symlink(String name, long seconds, int nanos, String target) implements Entry {
    static final int MAX_TARGET = 4095;

    public Symlink {
      RawBytes.requireName(name);
      RawBytes.require(target, 1, MAX_TARGET, true, "the target of a symbolic link");
      Meta.requireNanos(nanos);
    }
  }

  /**
   * A further name of a file; {@code path} is that of the file's first name, from the root, in walk
   * order (depth first, entries of a directory in the order of their names).
   */
  record HardLink(String name, String path) implements Entry {
    static final int MAX_PATH = MAX_DEPTH * 256;

    public HardLink {
      RawBytes.requireName(name);
      RawBytes.requirePath(path);
    }
  }
}
