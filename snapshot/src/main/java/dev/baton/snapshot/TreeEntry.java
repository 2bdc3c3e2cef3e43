/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.time.Instant;

/**
 * One thing in a tree. Modes are the permission bits and the sticky bit (0 to 01777); times are
 * exact to the nanosecond.
 */
public sealed interface TreeEntry {
  TreePath path();

  record Directory(TreePath path, int mode, Instant mtime) implements TreeEntry {}

  /**
   * @param size in bytes
   * @param sha256 of the content, 64 lower-case hex digits
   */
  record RegularFile(TreePath path, int mode, Instant mtime, long size, String sha256)
      implements TreeEntry {}

  /**
   * @param target raw bytes as in {@link TreePath#raw}, runs of slashes made one; may point
   *     anywhere or nowhere
   */
  record Symlink(TreePath path, Instant mtime, String target) implements TreeEntry {}

  /**
   * A further name of a file.
   *
   * @param first the file's first name in the listing, always a {@link RegularFile} that comes
   *     before this entry
   */
  record HardLink(TreePath path, TreePath first) implements TreeEntry {}
}
