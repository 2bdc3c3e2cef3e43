/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends diagnostic commands to Java processes by {@code jcmd}. */
final class JavaProcessCommand {
  private static final long PATIENCE_SECONDS = 60;

  private JavaProcessCommand() {}

  static boolean isJava(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(handle -> handle.info().command())
        .map(command -> command.endsWith("/java"))
        .orElse(false);
  }

  /**
   * Executes a command and returns its output.
   *
   * @throws IOException when it fails or takes more than a minute
   */
  static String run(long pid, String... command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    words.add(Long.toString(pid));
    words.addAll(List.of(command));
    // To a file: a process that writes during a pause must not wait for a reader in the same JVM.
    Path output = Files.createTempFile("jcmd", ".txt");
    Process process =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(String.join(" ", words) + " failed");
      }
      return Files.readString(output);
    } finally {
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
