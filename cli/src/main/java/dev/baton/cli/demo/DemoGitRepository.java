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
 * The demo's input: this checkout's own git history. Copied once into the demo's folder, so that
 * all runs see the same commit even if the checkout changes.
 */
final class DemoGitRepository {
  private static final int GIT_SECONDS = 120;

  private DemoGitRepository() {}

  /** Returns the checkout that contains this command. */
  static Path home() {
    String home = System.getProperty("baton.home", "");
    if (home.isEmpty()) {
      throw CliException.usage("start the demo with ./baton demo in a checkout of Baton");
    }
    return Path.of(home);
  }

  /**
   * @throws CliException when the demo's job has no repository to work on, or git is missing
   */
  static void check(Path home) throws IOException, InterruptedException {
    if (!Files.exists(home.resolve(".git"))) {
      throw CliException.of(
          CliExitCode.USAGE,
          "the demo's job reports on this repository's history, and %s has none (no .git): run it in a git clone"
              .formatted(home));
    }
    checkGit(home);
  }

  /**
   * @throws CliException when git is missing
   */
  static void checkGit(Path home) throws IOException, InterruptedException {
    try {
      git(home, List.of("--version"));
    } catch (IOException e) {
      throw CliException.of(
          CliExitCode.USAGE, "the demo's job needs git, which is not on the PATH: install git", e);
    }
  }

  /** Creates a bare copy in {@code folder}; returns its path. */
  static Path copy(Path home, Path folder) throws IOException, InterruptedException {
    Path target = folder.resolve("input.git");
    // The checkout may belong to another user. Git refuses to read it unless a configuration file
    // allows it: options and variables do not reach the process that reads the source repository.
    Path config = folder.resolve("gitconfig");
    Files.writeString(config, "[safe]\n\tdirectory = *\n");
    git(
        config,
        List.of(
            "clone", "--quiet", "--bare", "--no-hardlinks", home.toString(), target.toString()));
    return target;
  }

  /** Runs git with a configuration file, at most two minutes. */
  static void git(Path config, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("GIT_TERMINAL_PROMPT", "0");
    if (Files.isRegularFile(config)) {
      builder.environment().put("GIT_CONFIG_GLOBAL", config.toString());
    }
    // Into a file: reading a pipe would block without a bound.
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
