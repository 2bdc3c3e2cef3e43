/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Claims ports among the processes of a user on this host, until the process ends: each claim locks
 * one byte of a file, at the offset of the port's number. Thread-safe.
 */
final class PortClaimRegistry {
  private static @Nullable PortClaimRegistry ofProcess;

  private final FileChannel file;
  private final Map<Integer, FileLock> claims = new HashMap<>();

  /**
   * @param file created where it is missing; stays empty. Only one registry of a process may use it
   */
  PortClaimRegistry(Path file) throws IOException {
    this.file =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the registry that all stacks of this process share. */
  static synchronized PortClaimRegistry ofProcess() throws IOException {
    PortClaimRegistry registry = ofProcess;
    if (registry == null) {
      registry =
          new PortClaimRegistry(
              Path.of(
                  System.getProperty("java.io.tmpdir"),
                  "baton-ports-" + System.getProperty("user.name")));
      ofProcess = registry;
    }
    return registry;
  }

  /**
   * Claims a port until the process ends.
   *
   * @return false where this process or another has claimed it before
   */
  synchronized boolean claim(int port) throws IOException {
    if (claims.containsKey(port)) {
      return false;
    }
    FileLock lock;
    try {
      lock = file.tryLock(port, 1, false);
    } catch (OverlappingFileLockException e) {
      return false; // A registry of another class loader has claimed it.
    }
    if (lock != null) {
      claims.put(port, lock);
    }
    return lock != null;
  }
}
