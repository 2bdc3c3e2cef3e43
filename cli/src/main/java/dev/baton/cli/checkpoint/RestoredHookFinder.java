/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds programs in restored git repositories that git runs for the person that uses it there:
 * hooks, and settings that name a command. A step of the run may have written them.
 */
final class RestoredHookFinder {
  /** Repositories that are nested more deeply are not searched. */
  private static final int DEPTH = 6;

  private static final long LARGEST_CONFIG = 1 << 20;

  private static final Pattern COMMAND =
      Pattern.compile(
          "(?im)^\\s*(hooksPath|fsmonitor|sshCommand|pager|editor|askPass|external|textconv|clean|smudge|process|helper|gitProxy|program)\\s*=");

  private RestoredHookFinder() {}

  /** Returns paths of hooks and of configurations, relative to the folder, sorted. */
  static List<String> find(Path folder) {
    TreeSet<String> found = new TreeSet<>();
    try (Stream<Path> files =
        Files.find(
            folder, DEPTH, (path, attributes) -> attributes.isRegularFile() && isOfGit(path))) {
      files.forEach(path -> describe(folder, path, found));
    } catch (IOException | UncheckedIOException e) {
      found.add("(the files could not be searched completely: " + e.getMessage() + ")");
    }
    return List.copyOf(found);
  }

  private static boolean isOfGit(Path path) {
    Path parent = path.getParent();
    return parent != null
        && (isConfig(path) ? parent.endsWith(".git") : parent.endsWith(Path.of(".git", "hooks")));
  }

  private static boolean isConfig(Path path) {
    return path.endsWith("config") || path.endsWith("config.worktree");
  }

  private static void describe(Path folder, Path path, TreeSet<String> found) {
    String shown = folder.relativize(path).toString();
    if (!isConfig(path)) {
      if (Files.isExecutable(path) && !shown.endsWith(".sample")) {
        found.add(shown);
      }
      return;
    }
    try {
      if (Files.size(path) > LARGEST_CONFIG) {
        found.add(shown + ": too large to be read");
        return;
      }
      Matcher commands = COMMAND.matcher(Files.readString(path, StandardCharsets.ISO_8859_1));
      while (commands.find()) {
        found.add(shown + ": " + commands.group(1));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
