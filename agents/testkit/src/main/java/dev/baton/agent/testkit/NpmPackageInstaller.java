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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Installs the packages that a {@code package-lock.json} pins, once for each content of that file,
 * in Baton's cache folder. Processes that install at the same time wait for one another. Runs no
 * script of a package.
 */
public final class NpmPackageInstaller {
  private static final long MAX_MINUTES = 10;
  private static final int DIGEST_CHARACTERS = 16;

  private NpmPackageInstaller() {}

  /** Completes an installation before other processes see it. */
  @FunctionalInterface
  public interface Completion {
    /**
     * @param folder contains {@code node_modules}
     */
    void complete(Path folder) throws IOException;
  }

  /**
   * Returns the folder that contains {@code node_modules}.
   *
   * @param lock the {@code package-lock.json}, beside its {@code package.json}
   * @param name of the folder in the cache, before the digest of the file
   * @param options of {@code npm ci} in addition
   * @throws IOException with the reason why they cannot be installed
   */
  public static Path install(Path lock, String name, List<String> options, Completion completion)
      throws IOException, InterruptedException {
    String digest = Digest.of(Files.readAllBytes(lock));
    int from = digest.indexOf(':') + 1;
    Path folder = cache().resolve(name + "-" + digest.substring(from, from + DIGEST_CHARACTERS));
    if (Files.isDirectory(folder)) {
      return folder;
    }
    if (!isNpmInPath()) {
      throw new IOException("npm is not in PATH");
    }
    Path mutex = folder.resolveSibling(folder.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(mutex, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = channel.lock()) {
      if (Files.isDirectory(folder)) {
        return folder; // Another process has installed them while this one waited.
      }
      System.err.println("installing the packages of " + lock + " in " + folder);
      Path draft = Files.createTempDirectory(folder.getParent(), name + "-draft");
      try {
        download(lock, draft, options);
        completion.complete(draft);
        Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        StateText.delete(draft);
      }
      return folder;
    }
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

  private static void download(Path lock, Path draft, List<String> options)
      throws IOException, InterruptedException {
    for (String file : List.of("package.json", "package-lock.json")) {
      Files.copy(lock.resolveSibling(file), draft.resolve(file));
    }
    List<String> command =
        new ArrayList<>(List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"));
    command.addAll(options);
    Path output = draft.resolve("npm.log");
    Process npm =
        new ProcessBuilder(command)
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
  }
}
