/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * Where a stack keeps things.
 *
 * @param data everything that must last; one stack at a time
 * @param cache what can be made again and is shared by all stacks of a user: unpacked programs, AOT
 *     caches
 */
record StackPaths(Path data, Path cache) {

  /**
   * Makes the data folder, readable by its owner only, and finds a cache that can be written: the
   * property {@code baton.cache}, the variable {@code BATON_CACHE}, {@code XDG_CACHE_HOME/baton},
   * {@code ~/.cache/baton}, or else a folder in the data folder.
   */
  static StackPaths prepare(Path data) throws IOException {
    Path real = ownersOnly(data).toRealPath();
    String named = System.getProperty("baton.cache", System.getenv("BATON_CACHE"));
    if (named != null && !named.isBlank()) {
      return new StackPaths(real, Files.createDirectories(Path.of(named)).toRealPath());
    }
    Path base = cacheHome(System.getenv());
    try {
      Path cache = Files.createDirectories(base.resolve("baton")).toRealPath();
      if (Files.isWritable(cache)) {
        return new StackPaths(real, cache);
      }
    } catch (IOException e) {
      // A user without a home, or with one that is read-only: the data folder is theirs in any
      // case.
    }
    return new StackPaths(real, Files.createDirectories(real.resolve("cache")));
  }

  /** As a shell has it: Java's own idea of a home is what the user database says, not HOME. */
  static Path cacheHome(Map<String, String> environment) {
    String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
    if (!xdg.isBlank()) {
      return Path.of(xdg);
    }
    String home = environment.getOrDefault("HOME", "");
    return Path.of(home.isBlank() ? System.getProperty("user.home") : home, ".cache");
  }

  Path aot() {
    return cache.resolve("aot");
  }

  Path nativeLibraries() {
    return cache.resolve("native");
  }

  /** Temporary files of all programs; a start empties it where none of them runs. */
  Path temp() {
    return data.resolve("tmp");
  }

  /** A program's temporary files; nothing says that the folder is there. */
  Path temp(String program) {
    return temp().resolve(program);
  }

  Path logs() {
    return data.resolve("logs");
  }

  /** Of a process with this name: a component's label, or a replica's. */
  Path log(String name) {
    return logs().resolve(name + ".log");
  }

  /** The own folder of a process with this name, made when missing. */
  Path of(String name) throws IOException {
    return ownersOnly(data.resolve(name));
  }

  /** Makes the folder, readable by its owner only, when it is missing. */
  static Path ownersOnly(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Path parent = folder.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return folder;
  }
}
