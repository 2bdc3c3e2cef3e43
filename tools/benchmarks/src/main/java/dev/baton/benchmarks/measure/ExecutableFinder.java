/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs of this machine. */
public final class ExecutableFinder {
  private ExecutableFinder() {}

  /** Returns the first program of that name in a folder of {@code PATH}. */
  public static Optional<Path> onPath(String program) {
    String path = System.getenv("PATH");
    return Stream.of(path == null ? new String[0] : path.split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
