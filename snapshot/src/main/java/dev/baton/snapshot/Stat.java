/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/** What {@code lstat} says of one file. Never follows a link. */
record Stat(int mode, long size, Instant mtime, Instant ctime, long device, long inode, int links) {
  private static final String ATTRIBUTES = "unix:mode,size,lastModifiedTime,ctime,dev,ino,nlink";

  enum Kind {
    FILE,
    DIRECTORY,
    SYMLINK,
    OTHER
  }

  static Stat of(Path path) throws IOException {
    Map<String, Object> a = Files.readAttributes(path, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
    return new Stat(
        (Integer) get(a, "mode"),
        (Long) get(a, "size"),
        restorable(((FileTime) get(a, "lastModifiedTime")).toInstant()),
        ((FileTime) get(a, "ctime")).toInstant(),
        (Long) get(a, "dev"),
        (Long) get(a, "ino"),
        (Integer) get(a, "nlink"));
  }

  /** Java cannot set a fraction of a second before 1970, so none is recorded there. */
  private static Instant restorable(Instant time) {
    return time.getEpochSecond() < 0 ? Instant.ofEpochSecond(time.getEpochSecond()) : time;
  }

  private static Object get(Map<String, Object> attributes, String name) throws IOException {
    Object value = attributes.get(name);
    if (value == null) {
      throw new IOException("the file system does not report " + name);
    }
    return value;
  }

  Kind kind() {
    return switch (mode & 0170000) {
      case 0100000 -> Kind.FILE;
      case 0040000 -> Kind.DIRECTORY;
      case 0120000 -> Kind.SYMLINK;
      default -> Kind.OTHER;
    };
  }

  /** Permission bits and the sticky bit; setuid and setgid are never captured. */
  int permissions() {
    return mode & 01777;
  }
}
