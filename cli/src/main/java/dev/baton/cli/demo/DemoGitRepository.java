/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The demo's real input: this checkout's own history. Copied once into the demo's folder, so that
 * all runs see the same commit whatever happens in the checkout meanwhile.
 */
final class DemoGitRepository {
  private static final int GIT_SECONDS = 120;

  private DemoGitRepository() {}

  /** The checkout this command belongs to. */
  static Path home() {
    String home = System.getProperty("baton.home", "");
    if (home.isEmpty()) {
      throw CliException.usage("start the demo by ./baton demo, from a checkout of Baton");
    }
    return Path.of(home);
  }

  /**
   * @throws CliException when there is nothing the demo's job could work on
   */
  static void check(Path home) throws IOException, InterruptedException {
    if (!Files.exists(home.resolve(".git"))) {
      throw CliException.of(
          CliExitCode.USAGE,
          "the demo's job reports on this repository's history, and %s has none (no .git): run it in a git clone"
              .formatted(home));
    }
    try {
      git(home, List.of("--version"));
    } catch (IOException e) {
      throw CliException.of(
          CliExitCode.USAGE,
          "the demo's job needs git, and there is none on the PATH: install git",
          e);
    }
  }

  /** A bare copy in {@code folder}; its path. */
  static Path copy(Path home, Path folder) throws IOException, InterruptedException {
    Path target = folder.resolve("input.git");
    // The checkout may be another user's, which git refuses unless it is told so in a file: options
    // and variables do not reach
    // the process that reads the other repository.
    Path config = folder.resolve("gitconfig");
    Files.writeString(config, "[safe]\n\tdirectory = *\n");
    git(
        config,
        List.of(
            "clone", "--quiet", "--bare", "--no-hardlinks", home.toString(), target.toString()));
    return target;
  }

  private static void git(Path config, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("GIT_TERMINAL_PROMPT", "0");
    if (Files.isRegularFile(config)) {
      builder.environment().put("GIT_CONFIG_GLOBAL", config.toString());
    }
    // Into a file: reading a pipe would wait for its end without a bound.
    Path said = Files.createTempFile("baton-git-", ".txt");
    try {
      Process process = builder.redirectOutput(said.toFile()).start();
      if (!process.waitFor(GIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw CliException.of(
            CliExitCode.TIMEOUT, "git " + arguments.getFirst() + " took over 2 min");
      }
      if (process.exitValue() != 0) {
        throw CliException.of(
            CliExitCode.FAILED,
            "git %s failed: %s".formatted(arguments.getFirst(), Files.readString(said).strip()));
      }
    } finally {
      Files.deleteIfExists(said);
    }
  }
}
