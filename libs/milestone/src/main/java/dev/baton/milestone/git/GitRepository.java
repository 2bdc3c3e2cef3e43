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
 * @param git client that runs in it
 */
public record GitRepository(Path root, GitClient git) {
  /** Default time limit of a git call. */
  public static final Duration LIMIT = Duration.ofMinutes(2);

  /**
   * Returns the repository that contains a directory.
   *
   * @throws GitException when the directory is not in a repository, or its repository has no work
   *     tree
   */
  public static GitRepository around(Path directory, Map<String, String> environment)
      throws IOException, InterruptedException {
    if (!Files.isDirectory(directory)) {
      throw new GitException("not a directory: '" + directory + "'");
    }
    GitClient.Answer answer =
        new GitClient(directory, environment, LIMIT).call("rev-parse", "--show-toplevel");
    if (!answer.isOk() || answer.out().isEmpty()) {
      throw new GitException(
          "'%s' is not in a repository with a work tree: %s"
              .formatted(directory, answer.complaint()));
    }
    Path root = Path.of(answer.out());
    return new GitRepository(root, new GitClient(root, environment, LIMIT));
  }

  /**
   * Returns the repository whose work tree is exactly this directory and whose git directory is
   * {@code .git} in it; empty otherwise. Repositories of parent directories are ignored.
   */
  public static Optional<GitRepository> at(
      Path directory, Map<String, String> environment, Duration limit, GitClient.Starter starter) {
    return Files.isDirectory(directory.resolve(".git"), LinkOption.NOFOLLOW_LINKS)
        ? Optional.of(
            new GitRepository(
                directory, new GitClient(directory, environment, limit, starter).here()))
        : Optional.empty();
  }

  /** Returns the checked-out commit; empty before the first commit. */
  public Optional<String> head() throws IOException, InterruptedException {
    GitClient.Answer answer = git.call("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    return answer.isOk() ? Optional.of(answer.out()) : Optional.empty();
  }

  /** Returns the path of a file or directory in the git directory. */
  public Path own(String name) throws IOException, InterruptedException {
    return root.resolve(git.ask("rev-parse", "--git-path", name));
  }
}
