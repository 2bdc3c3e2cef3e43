/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.standalone.jvm.InstallationLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Builds the services of earlier commits from the history of this repository: of the last recorded
 * version, whose commit is in {@code src/test/resources/previous-version} (a release records its
 * own), or of any other. Built once for each commit, below {@code target}.
 */
public final class PreviousVersionBuilder {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path RECORDED = Path.of("src/test/resources/previous-version");
  private static final int BUILD_MINUTES = 20;

  private PreviousVersionBuilder() {}

  /** Returns the recorded commit. */
  static String commit() throws IOException {
    return Files.readString(RECORDED).strip();
  }

  /** Returns the installation of the recorded commit, see {@link #build(String)}. */
  static InstallationLayout build() throws IOException, InterruptedException {
    return build(commit());
  }

  /**
   * Returns the installation of a commit, with the store, the orchestrator and the runner. Aborts
   * the test if the repository's history does not have the commit, as in a shallow clone.
   */
  public static InstallationLayout build(String commit) throws IOException, InterruptedException {
    assumeTrue(
        run(ROOT, 1, "git", "cat-file", "-e", commit + "^{commit}"),
        "the history has no commit " + commit + "; fetch it with git fetch --unshallow");
    Path home = Path.of("target", "previous", commit).toAbsolutePath();
    Path built = home.resolve("target").resolve("built");
    if (!Files.exists(built)) {
      Files.createDirectories(home.getParent());
      if (!Files.isDirectory(home)) {
        require(ROOT, 5, "git", "clone", "--quiet", "--shared", "--no-checkout", ".", "" + home);
      }
      require(home, 5, "git", "checkout", "--quiet", "--force", commit);
      require(
          home,
          BUILD_MINUTES,
          "./mvnw",
          "-q",
          "-DskipTests",
          "-DskipChecks",
          "-Dspotless.check.skip",
          "-pl",
          "checkpoint-store,orchestrator,runner",
          "-am",
          "package");
      Files.createDirectories(built.getParent());
      Files.createFile(built);
    }
    return new InstallationLayout(home);
  }

  private static void require(Path folder, int minutes, String... command)
      throws IOException, InterruptedException {
    if (!run(folder, minutes, command)) {
      throw new AssertionError(List.of(command) + " failed:\n" + Files.readString(log()));
    }
  }

  /** Returns whether the command succeeded; its output is in {@link #log}. */
  private static boolean run(Path folder, int minutes, String... command)
      throws IOException, InterruptedException {
    Files.createDirectories(log().getParent());
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
    process.getOutputStream().close();
    if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError(List.of(command) + " did not end within " + minutes + " min");
    }
    return process.exitValue() == 0;
  }

  private static Path log() {
    return Path.of("target", "previous", "build.log").toAbsolutePath();
  }
}
