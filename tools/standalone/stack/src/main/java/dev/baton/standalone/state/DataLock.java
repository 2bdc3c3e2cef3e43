/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.state;

import dev.baton.process.ProcessIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock that a stack holds on its data folder. The system releases it when its holder dies. The
 * file identifies the present or last holder.
 *
 * <p>Thread-safe.
 */
public final class DataLock implements AutoCloseable {

  private static final String FILE = "stack.lock";
  // File locks are held by process: opening and closing the file a second time in this process
  // would release the first lock.
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path data;
  private final FileChannel channel;

  private DataLock(Path data, FileChannel channel) {
    this.data = data;
    this.channel = channel;
  }

  /**
   * Takes the lock without waiting; empty when another process, or another stack of this one, holds
   * it.
   */
  public static Optional<DataLock> take(Path folder) throws IOException {
    Path data = folder.toRealPath();
    if (!HELD.add(data)) {
      return Optional.empty();
    }
    boolean taken = false;
    try {
      FileChannel channel =
          FileChannel.open(data.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (channel.tryLock() == null) {
          return Optional.empty();
        }
        sign(channel);
        taken = true;
        return Optional.of(new DataLock(data, channel));
      } finally {
        if (!taken) {
          channel.close();
        }
      }
    } finally {
      if (!taken) {
        HELD.remove(data);
      }
    }
  }

  /**
   * Returns the last holder; whether it still holds the lock can only be determined by taking it.
   */
  public static Optional<ProcessIdentity> lastHolder(Path folder) throws IOException {
    if (HELD.contains(folder.toRealPath())) {
      // Not even opened for reading: closing it would release the lock.
      return ProcessIdentity.of(ProcessHandle.current().pid());
    }
    try {
      String[] words = Files.readString(folder.resolve(FILE)).strip().split(" ", 2);
      return words.length == 2 && words[0].matches("[0-9]{1,18}")
          ? Optional.of(new ProcessIdentity(Long.parseLong(words[0]), words[1]))
          : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static void sign(FileChannel channel) throws IOException {
    Optional<ProcessIdentity> self = ProcessIdentity.of(ProcessHandle.current().pid());
    String name = self.map(id -> id.pid() + " " + id.started() + "\n").orElse("");
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(name.getBytes(StandardCharsets.UTF_8)), 0);
  }

  @Override
  public synchronized void close() throws IOException {
    if (channel.isOpen()) {
      try {
        channel.close();
      } finally {
        HELD.remove(data);
      }
    }
  }
}
