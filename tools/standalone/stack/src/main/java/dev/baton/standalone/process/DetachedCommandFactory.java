/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds system programs on the path, and detaches commands from the terminal. */
public final class DetachedCommandFactory {

  private DetachedCommandFactory() {}

  /**
   * Runs the command in a separate session: Ctrl-C in the terminal then reaches only the
   * supervisor, which stops everything in order. The pid stays that of the command. Without {@code
   * setsid}, returns the command unchanged.
   */
  public static List<String> command(List<String> command) {
    Optional<Path> setsid = onPath("setsid");
    if (setsid.isEmpty()) {
      return command;
    }
    List<String> detached = new ArrayList<>();
    detached.add(setsid.get().toString());
    detached.addAll(command);
    return detached;
  }

  /** Finds a program in the folders of PATH. */
  public static Optional<Path> onPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path candidate = Path.of(folder.isEmpty() ? "." : folder, program);
      if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }
}
