/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.process.StateText;
import dev.baton.protocol.digest.Digest;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Installs the programs that {@code acceptance/agents/package-lock.json} pins, once for each
 * content of that file, in Baton's cache folder. Processes that install at the same time wait for
 * one another.
 */
final class NpmAgentInstaller {
  private static final Path LOCK_FILE = Path.of("acceptance", "agents", "package-lock.json");
  private static final long MAX_MINUTES = 10;

  private NpmAgentInstaller() {}

  /**
   * Returns the folder that contains {@code node_modules}.
   *
   * @return empty where npm is not installed or cannot install; the reason is on stderr
   */
  static Optional<Path> folder() {
    try {
      Path lock = lockFile();
      String digest = Digest.of(Files.readAllBytes(lock));
      Path folder = cache().resolve("agents-" + digest.substring(digest.indexOf(':') + 1, 23));
      if (Files.isDirectory(folder)) {
        return Optional.of(folder);
      }
      if (!isNpmInPath()) {
        System.err.println("npm is not in PATH: tests with real agents are skipped");
        return Optional.empty();
      }
      return install(lock, folder);
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

  private static Path cache() throws IOException {
    String named = System.getenv("BATON_CACHE");
    String xdg = System.getenv("XDG_CACHE_HOME");
    Path cache;
    if (named != null && !named.isEmpty()) {
      cache = Path.of(named);
    } else if (xdg != null && !xdg.isEmpty()) {
      cache = Path.of(xdg, "baton");
    } else {
      cache = Path.of(System.getProperty("user.home"), ".cache", "baton");
    }
    return Files.createDirectories(cache);
  }

  private static boolean isNpmInPath() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "npm")));
  }

  private static Optional<Path> install(Path lock, Path folder)
      throws IOException, InterruptedException {
    Path mutex = folder.resolveSibling(folder.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(mutex, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = channel.lock()) {
      if (Files.isDirectory(folder)) {
        return Optional.of(folder); // Another process has installed them while this one waited.
      }
      System.err.println("installing the agents of " + lock.getFileName() + " in " + folder);
      Path draft = Files.createTempDirectory(folder.getParent(), "agents-draft");
      try {
        install(lock, draft, folder);
      } finally {
        StateText.delete(draft);
      }
      return Optional.of(folder);
    }
  }

  private static void install(Path lock, Path draft, Path folder)
      throws IOException, InterruptedException {
    for (String name : new String[] {"package.json", "package-lock.json"}) {
      Files.copy(
          lock.resolveSibling(name), draft.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
    Path output = draft.resolve("npm.log");
    Process npm =
        new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
            .directory(draft.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!npm.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
      npm.destroyForcibly();
      throw new IOException("npm ci has not ended within " + MAX_MINUTES + " minutes");
    }
    if (npm.exitValue() != 0) {
      throw new IOException(
          "npm ci ended with %d: %s".formatted(npm.exitValue(), Files.readString(output)));
    }
    Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
  }
}
