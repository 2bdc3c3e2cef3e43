/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

/** What kind of thing a name stands for. */
public enum FileKind {
  FILE,
  DIRECTORY,
  SYMLINK,
  /** A socket, FIFO or device. */
  OTHER,
  /** The file system lists names without saying; only {@link OpenDirectory#list} answers this. */
  UNKNOWN;

  static FileKind ofMode(int mode) {
    return ofType(mode >> 12 & 15);
  }

  /** The same four bits are in a mode and in a directory's record. */
  static FileKind ofType(int type) {
    return switch (type) {
      case 0 -> UNKNOWN;
      case 4 -> DIRECTORY;
      case 8 -> FILE;
      case 10 -> SYMLINK;
      default -> OTHER;
    };
  }
}
