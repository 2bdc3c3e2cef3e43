/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileMetadata;

/** An entry of a tree. */
public sealed interface TreeEntry {
  TreePath path();

  record Directory(TreePath path, FileMetadata meta) implements TreeEntry {}

  /**
   * @param content as chunk hashes; equal for equal bytes and holes
   */
  record RegularFile(TreePath path, FileMetadata meta, FileContent content) implements TreeEntry {}

  /**
   * @param target raw bytes as in {@link TreePath#raw}; may point outside the tree or to a missing
   *     file
   */
  record Symlink(TreePath path, Mtime mtime, String target) implements TreeEntry {}

  /**
   * An additional name of a file.
   *
   * @param first the file's first name in the listing, always a {@link RegularFile} that comes
   *     before this entry
   */
  record HardLink(TreePath path, TreePath first) implements TreeEntry {}
}
