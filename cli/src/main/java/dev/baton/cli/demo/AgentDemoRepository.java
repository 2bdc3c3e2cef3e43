/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.snapshot.TreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small repository with a bug and a test that finds it. */
final class AgentDemoRepository {
  private static final String PROGRAM =
      """
      #!/bin/sh
      # Prints how many days February has in a year.
      year=$1
      if [ $((year % 4)) -eq 0 ]; then echo 29; else echo 28; fi
      """;

  private static final String TEST =
      """
      #!/bin/sh
      sleep 2 # as slow as a real test
      for case in 2023:28 2024:29 1900:28 2000:29; do
        days=$(sh leap.sh "${case%:*}")
        [ "$days" = "${case#*:}" ] || { echo "FAIL ${case%:*}: $days days instead of ${case#*:}"; exit 1; }
      done
      echo "all tests pass"
      """;

  private AgentDemoRepository() {}

  /** Creates the repository in {@code folder}; returns its path. */
  static Path create(Path folder) throws IOException, InterruptedException {
    Path repository = folder.resolve("leap");
    if (Files.exists(repository)) {
      TreeDeleter.deleteFully(repository);
    }
    Files.createDirectories(repository);
    Files.writeString(repository.resolve("leap.sh"), PROGRAM);
    Files.writeString(repository.resolve("test.sh"), TEST);
    Path config = folder.resolve("gitconfig-agent");
    Files.writeString(config, "[user]\n\tname = demo\n\temail = demo@localhost\n");
    String at = repository.toString();
    DemoGitRepository.git(config, List.of("-C", at, "init", "-q", "-b", "main"));
    DemoGitRepository.git(config, List.of("-C", at, "add", "-A"));
    DemoGitRepository.git(
        config, List.of("-C", at, "commit", "-q", "-m", "Print the days of February"));
    return repository;
  }
}
