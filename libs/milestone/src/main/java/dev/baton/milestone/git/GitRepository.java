/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A repository with its work tree.
 *
 * @param root of the work tree
 * @param git at work there
 */
public record GitRepository(Path root, GitClient git) {
  /** Of one call of git where nothing else is said. */
  public static final Duration LIMIT = Duration.ofMinutes(2);

  /**
   * The one that a directory is in.
   *
   * @throws GitException where it is in none, or in one without a work tree
   */
  public static GitRepository around(Path directory, Map<String, String> environment)
      throws IOException, InterruptedException {
    if (!Files.isDirectory(directory)) {
      throw new GitException("there is no directory '" + directory + "'");
    }
    GitClient.Answer answer =
        new GitClient(directory, environment, LIMIT).call("rev-parse", "--show-toplevel");
    if (!answer.isOk() || answer.out().isEmpty()) {
      throw new GitException(
          "'%s' is in no repository with a work tree: %s".formatted(directory, answer.complaint()));
    }
    Path root = Path.of(answer.out());
    return new GitRepository(root, new GitClient(root, environment, LIMIT));
  }

  /**
   * The one whose work tree is this very directory, and whose history is within it. None around the
   * directory counts.
   */
  public static Optional<GitRepository> at(
      Path directory, Map<String, String> environment, Duration limit) {
    return at(directory, environment, limit, ProcessBuilder::startPipeline);
  }

  /** As the other, with git started in a way of its own. */
  public static Optional<GitRepository> at(
      Path directory, Map<String, String> environment, Duration limit, GitClient.Starter starter) {
    return Files.isDirectory(directory.resolve(".git"), LinkOption.NOFOLLOW_LINKS)
        ? Optional.of(
            new GitRepository(
                directory, new GitClient(directory, environment, limit, starter).here()))
        : Optional.empty();
  }

  /** The commit that is checked out; empty before the first. */
  public Optional<String> head() throws IOException, InterruptedException {
    GitClient.Answer answer = git.call("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    return answer.isOk() ? Optional.of(answer.out()) : Optional.empty();
  }

  /** A file or directory of git's own. */
  public Path own(String name) throws IOException, InterruptedException {
    return root.resolve(git.ask("rev-parse", "--git-path", name));
  }
}
