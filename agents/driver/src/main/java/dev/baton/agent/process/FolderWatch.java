/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;

/** Waits for changes of files in folders. Thread-safe. */
public final class FolderWatch implements AutoCloseable {
  /** The longest time until a change is seen where the system reports none. */
  private static final long POLL_MILLIS = 1_000;

  private final WatchService changes;

  private FolderWatch(WatchService changes) {
    this.changes = changes;
  }

  /**
   * Watches nothing yet.
   *
   * @param system of the folders
   */
  public static FolderWatch of(FileSystem system) throws IOException {
    return new FolderWatch(system.newWatchService());
  }

  /** Watches one more folder, without those in it. */
  public void add(Path folder) throws IOException {
    folder.register(
        changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
  }

  /**
   * Waits for the next change, one second at most.
   *
   * @return false when the watch is closed, or the thread was interrupted
   */
  public boolean await() {
    try {
      WatchKey key = changes.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (key != null) {
        key.pollEvents();
        key.reset();
      }
      return true;
    } catch (ClosedWatchServiceException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    changes.close();
  }
}
