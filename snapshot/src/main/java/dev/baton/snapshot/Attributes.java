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
import java.time.Instant;

/** Sets what {@link Stat} reads. */
final class Attributes {
  private Attributes() {}

  /** Of the file itself, also where it is a link. */
  static void setMtime(Path file, Instant mtime) throws IOException {
    Files.getFileAttributeView(file, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setTimes(FileTime.from(mtime), null, null);
  }

  /** All twelve bits, whatever the umask says. Never for a link. */
  static void setMode(Path file, int mode) throws IOException {
    Files.setAttribute(file, "unix:mode", mode);
  }
}
