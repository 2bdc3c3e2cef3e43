/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Creates a git repository with modules and a history for the demo's pipeline. */
final class TestGitRepository {
  private static final int MODULES = 5;
  private static final int COMMITS = 12;

  private TestGitRepository() {}

  static Path make(Path folder) throws IOException, InterruptedException {
    git(Files.createDirectories(folder), 0, "init", "--quiet");
    for (int commit = 0; commit < COMMITS; commit++) {
      Path module = Files.createDirectories(folder.resolve("module-" + commit % MODULES));
      Files.writeString(module.resolve("pom.xml"), "<project/>\n");
      for (int file = 0; file < 8; file++) {
        Files.writeString(
            module.resolve("File" + file + ".java"),
            ("a line of file " + file + " in commit " + commit + "\n").repeat(40 + commit));
      }
      git(folder, commit, "add", "--all");
      git(folder, commit, "commit", "--quiet", "--message", "Commit " + commit);
    }
    return folder;
  }

  private static void git(Path folder, int commit, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("git").directory(folder.toFile());
    builder.command().addAll(List.of(arguments));
    String author = commit % 3 == 0 ? "Ann" : "Ben";
    String date = "2026-0" + (1 + commit % 6) + "-01T12:00:00Z";
    for (String role : new String[] {"AUTHOR", "COMMITTER"}) {
      builder.environment().put("GIT_" + role + "_NAME", author);
      builder.environment().put("GIT_" + role + "_EMAIL", author + "@example.org");
      builder.environment().put("GIT_" + role + "_DATE", date);
    }
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError("git " + List.of(arguments) + ": " + said);
    }
  }
}
