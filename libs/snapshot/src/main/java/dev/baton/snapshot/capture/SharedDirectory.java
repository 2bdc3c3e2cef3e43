/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;

/** A reference-counted open directory, closed by its last user. Thread-safe. */
final class SharedDirectory {
  private final OpenDirectory directory;
  private final AtomicInteger users = new AtomicInteger(1);

  /** The creator is the first user. */
  SharedDirectory(OpenDirectory directory) {
    this.directory = directory;
  }

  OpenDirectory directory() {
    return directory;
  }

  /** Adds a user; the caller must be a user. */
  SharedDirectory share() {
    users.incrementAndGet();
    return this;
  }

  /**
   * @throws UncheckedIOException if the system cannot close a directory that was only read
   */
  void release() {
    if (users.decrementAndGet() == 0) {
      try {
        directory.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
