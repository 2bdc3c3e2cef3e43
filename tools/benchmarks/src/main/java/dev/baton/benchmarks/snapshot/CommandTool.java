/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import dev.baton.benchmarks.measure.DiskUsage;
import dev.baton.benchmarks.measure.TimedCommand;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A tool that is a command and stores into a local folder. */
abstract class CommandTool implements SnapshotTool {
  private final Path folder;

  /**
   * @param folder a separate folder of the tool, created if missing
   */
  CommandTool(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  /** The folder of all stored data. */
  final Path store() {
    return folder.resolve("store");
  }

  /** The folder of the tool's cache. */
  final Path cache() {
    return folder.resolve("cache");
  }

  final TimedCommand command(Path at, Map<String, String> environment, String... line) {
    return new TimedCommand(List.of(line), environment, at, folder.resolve("log"));
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    end();
    Files.createDirectories(store());
    Files.createDirectories(cache());
  }

  @Override
  public final long storedBytes() throws IOException {
    return DiskUsage.of(store()).bytes();
  }

  @Override
  public final void end() throws IOException {
    DirectoryTreeDeleter.delete(store());
    DirectoryTreeDeleter.delete(cache());
  }

  @Override
  public final void close() throws IOException {
    DirectoryTreeDeleter.delete(folder);
  }
}
