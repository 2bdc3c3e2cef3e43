/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Installs the programs that {@code acceptance/agents/package-lock.json} pins. */
final class NpmAgentInstaller {
  private static final Path LOCK_FILE = Path.of("acceptance", "agents", "package-lock.json");

  private NpmAgentInstaller() {}

  /**
   * Returns the folder that contains {@code node_modules}.
   *
   * @return empty where npm is not installed or cannot install; the reason is on stderr
   */
  static Optional<Path> folder() {
    try {
      return Optional.of(
          NpmPackageInstaller.install(lockFile(), "agents", List.of(), folder -> {}));
    } catch (IOException e) {
      System.err.println("agents cannot be installed, their tests are skipped: " + e);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Path lockFile() throws IOException {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.isRegularFile(at.resolve(LOCK_FILE))) {
        return at.resolve(LOCK_FILE);
      }
    }
    throw new IOException(LOCK_FILE + " is in no folder above the working directory");
  }
}
