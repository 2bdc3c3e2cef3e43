/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jgit.lib.ObjectId;

/** The content of a file of a commit. */
sealed interface ArchiveFileContent {

  /** Bytes in memory. */
  record Bytes(byte[] bytes) implements ArchiveFileContent {}

  /**
   * Content that is read when it is written to the repository.
   *
   * @param length in bytes
   */
  record Stream(long length, Source source) implements ArchiveFileContent {}

  /** A blob that the repository already has. */
  record Kept(ObjectId blob) implements ArchiveFileContent {}

  /** Opens the content, once. */
  interface Source {
    InputStream open() throws IOException;
  }
}
