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
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Sets what {@link Stat} reads. */
final class Attributes {
  private static final Map<Integer, Set<PosixFilePermission>> PERMISSIONS =
      new ConcurrentHashMap<>();

  private Attributes() {}

  /** Of the file itself, also where it is a link. */
  static void setMtime(Path file, Instant mtime) throws IOException {
    Files.getFileAttributeView(file, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        // With an access time: without one the JDK asks for it first.
        .setTimes(FileTime.from(mtime), FileTime.from(mtime), null);
  }

  /** All twelve bits, whatever the umask says. Never for a link. */
  static void setMode(Path file, int mode) throws IOException {
    if (mode <= 0777) {
      Files.setPosixFilePermissions(
          file, PERMISSIONS.computeIfAbsent(mode, Attributes::permissions));
    } else {
      Files.setAttribute(file, "unix:mode", mode);
    }
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    PosixFilePermission[] all = PosixFilePermission.values();
    for (int i = 0; i < all.length; i++) {
      // Declared from the owner's reading, which is the highest bit, to the others' executing.
      if ((mode & 0400 >> i) != 0) {
        permissions.add(all[i]);
      }
    }
    return permissions;
  }
}
