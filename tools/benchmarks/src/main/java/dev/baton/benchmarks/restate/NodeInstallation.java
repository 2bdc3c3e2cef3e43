/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.restate;

import dev.baton.standalone.process.DetachedCommandFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Node and npm of this machine.
 *
 * @param node the program
 * @param npm the program
 */
record NodeInstallation(Path node, Path npm) {
  private static final long INSTALL_MINUTES = 10;

  /** Finds them on the path; empty when one is missing. */
  static Optional<NodeInstallation> find() {
    Optional<Path> node = DetachedCommandFactory.onPath("node");
    Optional<Path> npm = DetachedCommandFactory.onPath("npm");
    return node.isPresent() && npm.isPresent()
        ? Optional.of(new NodeInstallation(node.get(), npm.get()))
        : Optional.empty();
  }

  /**
   * Installs the files and their packages into the folder; does nothing if that was done before.
   * Runs no install script of a package.
   *
   * @throws IOException when npm fails; its output is in the folder's {@code npm.log}
   */
  void install(Path folder, List<String> files) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    boolean changed = false;
    for (String file : files) {
      changed |= copy(file, folder.resolve(file));
    }
    Path done = folder.resolve("installed");
    if (!changed && Files.exists(done)) {
      return;
    }
    Files.deleteIfExists(done);
    Path log = folder.resolve("npm.log");
    Process install =
        new ProcessBuilder(npm.toString(), "install", "--ignore-scripts", "--no-audit", "--no-fund")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!install.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES)) {
      install.destroyForcibly();
      throw new IOException("npm install took more than " + INSTALL_MINUTES + " minutes: " + log);
    }
    if (install.exitValue() != 0) {
      throw new IOException("npm install ended with " + install.exitValue() + ": " + log);
    }
    Files.createFile(done);
  }

  private static boolean copy(String resource, Path target) throws IOException {
    try (InputStream in = NodeInstallation.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the resource " + resource + " is missing");
      }
      byte[] wanted = in.readAllBytes();
      if (Files.exists(target) && java.util.Arrays.equals(Files.readAllBytes(target), wanted)) {
        return false;
      }
      Files.write(target, wanted);
      return true;
    }
  }
}
