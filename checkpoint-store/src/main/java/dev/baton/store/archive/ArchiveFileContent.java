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

/** What a file of a commit holds. */
sealed interface ArchiveFileContent {

  /** Bytes in memory. */
  record Bytes(byte[] bytes) implements ArchiveFileContent {}

  /**
   * What is read when it is written.
   *
   * @param length in bytes
   */
  record Stream(long length, Source source) implements ArchiveFileContent {}

  /** What the repository has already. */
  record Kept(ObjectId blob) implements ArchiveFileContent {}

  /** Opens what is to be written, once. */
  interface Source {
    InputStream open() throws IOException;
  }
}
