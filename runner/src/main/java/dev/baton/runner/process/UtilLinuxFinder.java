/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the programs of util-linux where distributions install them; ignores the PATH. */
final class UtilLinuxFinder {
  private UtilLinuxFinder() {}

  /** Returns the absolute path of a program; empty if it is not installed. */
  static Optional<String> path(String program) {
    return Stream.of("/usr/bin/" + program, "/bin/" + program)
        .filter(path -> Files.isExecutable(Path.of(path)))
        .findFirst();
  }
}
