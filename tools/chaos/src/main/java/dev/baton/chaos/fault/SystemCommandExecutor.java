/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Executes short system commands. */
final class SystemCommandExecutor {
  private static final long SECONDS = 20;

  private SystemCommandExecutor() {}

  /**
   * Returns an empty text on success, else the command's output, or that the command is missing.
   */
  static String run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return List.of(command) + " does not end";
      }
      byte[] said = process.getInputStream().readAllBytes();
      return process.exitValue() == 0
          ? ""
          : "%s (exit code %d)"
              .formatted(new String(said, StandardCharsets.UTF_8).strip(), process.exitValue());
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
