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

/** An open directory with several users, closed by the last of them. Thread-safe. */
final class SharedDirectory {
  private final OpenDirectory directory;
  private final AtomicInteger users = new AtomicInteger(1);

  /** Whoever makes it is its first user. */
  SharedDirectory(OpenDirectory directory) {
    this.directory = directory;
  }

  OpenDirectory directory() {
    return directory;
  }

  /** By one who is a user already, for another. */
  SharedDirectory share() {
    users.incrementAndGet();
    return this;
  }

  /**
   * @throws UncheckedIOException when the system does not close what was only read: it is at fault
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
