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
import java.util.stream.Stream;

/** A tool that is a command and stores into a local folder. */
abstract class CommandTool implements SnapshotTool {
  private final Path folder;
  private final String name;
  private final Map<String, String> environment;
  private final String version;

  /**
   * @param folder a separate folder of the tool, created if missing
   * @param name the command
   * @param environment variables of each of its calls
   * @param version the argument that prints its version
   */
  CommandTool(Path folder, String name, Map<String, String> environment, String version)
      throws IOException, InterruptedException {
    this.folder = Files.createDirectories(folder);
    this.name = name;
    this.environment = Map.copyOf(environment);
    this.version = command(folder, version).output().lines().findFirst().orElse("").strip();
  }

  /** The repository in the store of a tool with this folder. */
  static String repository(Path folder) {
    return folder.resolve("store").resolve("repository").toString();
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public String version() {
    return version;
  }

  /** The folder of all stored data. */
  final Path store() {
    return folder.resolve("store");
  }

  /** The folder of the cache of a tool with this folder. */
  static Path cache(Path folder) {
    return folder.resolve("cache");
  }

  /** Returns a call of the command with these arguments. */
  final TimedCommand command(Path at, String... arguments) {
    List<String> line = Stream.concat(Stream.of(name), Stream.of(arguments)).toList();
    return new TimedCommand(line, environment, at, folder.resolve("log"));
  }

  @Override
  public void begin(Path tree) throws IOException, InterruptedException {
    end();
    Files.createDirectories(store());
    Files.createDirectories(cache(folder));
  }

  @Override
  public final long storedBytes() throws IOException {
    return DiskUsage.of(store()).bytes();
  }

  @Override
  public final void end() throws IOException {
    DirectoryTreeDeleter.delete(store());
    DirectoryTreeDeleter.delete(cache(folder));
  }

  @Override
  public final void close() throws IOException {
    DirectoryTreeDeleter.delete(folder);
  }
}
