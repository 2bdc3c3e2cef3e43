/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

/** The kind of a directory entry. */
public enum FileKind {
  FILE,
  DIRECTORY,
  SYMLINK,
  /** A socket, FIFO or device. */
  OTHER,
  /**
   * The file system lists names without their kind; only {@link OpenDirectory#list} returns this.
   */
  UNKNOWN;

  static FileKind ofMode(int mode) {
    return ofType(mode >> 12 & 15);
  }

  /** A mode and a directory record have the same four bits. */
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
