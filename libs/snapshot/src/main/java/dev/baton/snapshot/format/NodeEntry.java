/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

/** An entry of a directory; names, targets and paths are raw bytes, one per char. */
public sealed interface NodeEntry {
  /** Maximum number of directory levels below the root. */
  int MAX_DEPTH = 2048;

  /** 1 to 255 bytes; empty only for the root of a tree. */
  String name();

  /** A directory and the hash of its node. */
  record Directory(String name, FileMetadata meta, Hash node) implements NodeEntry {
    public Directory {
      if (!name.isEmpty()) {
        RawBytesValidator.requireName(name);
      }
    }
  }

  /** A regular file of {@code size} bytes. */
  record File(String name, FileMetadata meta, long size, FileContent content) implements NodeEntry {
    public File {
      RawBytesValidator.requireName(name);
      if (size < 0) {
        throw new IllegalArgumentException("a file has no negative size: " + size);
      }
      if (content instanceof FileContent.Inline inline) {
        ExtentListCodec.requireSum(inline.extents(), size);
      }
    }
  }

  /** A symbolic link; {@code target} is any 1 to 4095 bytes without NUL. */
  record Symlink(String name, long seconds, int nanos, String target) implements NodeEntry {
    static final int MAX_TARGET = 4095;

    public Symlink {
      RawBytesValidator.requireName(name);
      RawBytesValidator.require(target, 1, MAX_TARGET, true, "the target of a symbolic link");
      FileMetadata.requireNanos(nanos);
    }
  }

  /**
   * An additional name of a file; {@code path} is the path of the file's first name, from the root,
   * in walk order (depth first, entries of a directory in the order of their names).
   */
  record HardLink(String name, String path) implements NodeEntry {
    static final int MAX_PATH = MAX_DEPTH * 256;

    public HardLink {
      RawBytesValidator.requireName(name);
      RawBytesValidator.requirePath(path);
    }
  }
}
