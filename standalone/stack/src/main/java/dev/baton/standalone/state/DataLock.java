/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.state;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** The right to run a stack on a data folder. The system takes it back when its holder dies. */
public final class DataLock implements AutoCloseable {

  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the lock at once, or nothing when another process, or another stack of this one, has it.
   */
  public static Optional<DataLock> take(Path data) throws IOException {
    FileChannel channel =
        FileChannel.open(
            data.resolve("stack.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return Optional.of(new DataLock(channel));
      }
    } catch (OverlappingFileLockException e) {
      // This very process holds it, for another stack.
      channel.close();
      return Optional.empty();
    }
    channel.close();
    return Optional.empty();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
