/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.protocol.file.PrivateFolderCreator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Folders of a stack.
 *
 * @param data persistent data; one stack at a time
 * @param cache reproducible data shared by all stacks of a user: unpacked programs, AOT caches
 */
record StackPaths(Path data, Path cache) {

  /**
   * Creates the data folder, readable by its owner only, and selects a writable cache folder: the
   * property {@code baton.cache}, the variable {@code BATON_CACHE}, {@code XDG_CACHE_HOME/baton},
   * {@code ~/.cache/baton}, or else a folder in the data folder.
   */
  static StackPaths prepare(Path data) throws IOException {
    Path real = PrivateFolderCreator.create(data).toRealPath();
    String named = System.getProperty("baton.cache", System.getenv("BATON_CACHE"));
    if (named != null && !named.isBlank()) {
      return new StackPaths(real, trusted(Path.of(named)));
    }
    Path base = cacheHome(System.getenv());
    try {
      Path cache = trusted(base.resolve("baton"));
      if (Files.isWritable(cache)) {
        return new StackPaths(real, cache);
      }
    } catch (IOException e) {
      // A user without a home, or with a read-only one, or a cache with files of another user: the
      // data folder is writable in any case.
    }
    return new StackPaths(real, ownersOnly(real.resolve("cache")));
  }

  /** Programs of a cache are executed as they are, so no other user may have written them. */
  private static Path trusted(Path cache) throws IOException {
    Path real = PrivateFolderCreator.create(cache).toRealPath();
    PrivateFolderCreator.requireTrusted(real);
    return real;
  }

  /** Uses the shell's rule: Java takes the home from the user database instead of HOME. */
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

  /** Temporary files of all programs; a start empties it when none of them runs. */
  Path temp() {
    return data.resolve("tmp");
  }

  /** Temporary files of one program; the folder may not exist. */
  Path temp(String program) {
    return temp().resolve(program);
  }

  Path logs() {
    return data.resolve("logs");
  }

  /** Log of a process with this name: a component's label, or a replica's name. */
  Path log(String name) {
    return logs().resolve(name + ".log");
  }

  /** Data folder of a process with this name, created if missing. */
  Path of(String name) throws IOException {
    return ownersOnly(data.resolve(name));
  }

  /** Creates the folder if missing; its owner only can enter it afterwards. */
  static Path ownersOnly(Path folder) throws IOException {
    return PrivateFolderCreator.createOrRestrict(folder);
  }
}
