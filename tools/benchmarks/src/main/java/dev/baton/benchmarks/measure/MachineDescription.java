/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Describes the machine of the measurement. */
public final class MachineDescription {
  private MachineDescription() {}

  /** Returns processors, memory, kernel and Java in one line. */
  public static String line() throws IOException {
    return Runtime.getRuntime().availableProcessors()
        + " processors"
        + value(Path.of("/proc/cpuinfo"), "model name", " (", ")")
        + value(Path.of("/proc/meminfo"), "MemTotal", ", ", " memory")
        + ", "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + ", Java "
        + System.getProperty("java.version");
  }

  private static String value(Path file, String key, String before, String after)
      throws IOException {
    if (!Files.isReadable(file)) {
      return "";
    }
    try (var lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> before + line.substring(line.indexOf(':') + 1).strip() + after)
          .findFirst()
          .orElse("");
    }
  }
}
