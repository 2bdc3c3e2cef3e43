/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import dev.baton.protocol.file.PrivateFileWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Reads and writes files of an agent's home. */
public final class StateText {
  private StateText() {}

  /** Writes a file that only its owner reads, whole or not at all; creates its folder. */
  public static void write(Path file, String text) throws IOException {
    PrivateFileWriter.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Deletes a file or a folder with everything in it; absent ones are ignored. */
  public static void delete(Path path) throws IOException {
    if (!Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** A condition on files. */
  @FunctionalInterface
  public interface FileCondition {
    boolean holds() throws IOException;
  }

  /** Waits for a condition; false when it does not hold after the bound. */
  public static boolean await(Duration bound, FileCondition condition)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (true) {
      if (condition.holds()) {
        return true;
      }
      if (System.nanoTime() >= end) {
        return false;
      }
      Thread.sleep(Duration.ofMillis(5));
    }
  }
}
