/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --repo}, and access to the repository. */
final class RepositoryOption {
  @Option(
      names = "--repo",
      paramLabel = "DIR",
      description = "The repository, or a directory in it. Default: the current directory.")
  private Path repo = Path.of("");

  /** Work on a repository. */
  interface Work<T> {
    T in(GitRepository repository) throws IOException, InterruptedException;
  }

  /**
   * @throws CliException when the repository does not exist, or a git operation fails
   */
  <T> T work(CommandContext context, Work<T> work) {
    try {
      GitRepository repository;
      try {
        repository = GitRepository.around(repo.toAbsolutePath(), context.environment());
      } catch (IOException e) {
        throw CliException.of(
            CliExitCode.USAGE, e.getMessage() + "; name the repository with --repo DIR", e);
      }
      return work.in(repository);
    } catch (IOException e) {
      throw CliException.of(CliExitCode.FAILED, String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    }
  }

  /**
   * Resolves the run. Text that is not the end of a known id is used unchanged, since ids of other
   * tools have other formats.
   *
   * @throws CliException when the text is the end of several ids
   */
  static String run(SidecarStore.Listing listing, String text) {
    if (text.isBlank()) {
      throw CliException.usage("the run's id is empty");
    }
    List<String> fitting = listing.runs().stream().filter(known -> known.endsWith(text)).toList();
    if (fitting.contains(text) || fitting.isEmpty()) {
      return text;
    }
    if (fitting.size() > 1) {
      throw CliException.detailed(
          CliExitCode.AMBIGUOUS, "'" + text + "' is ambiguous: give the complete id", fitting);
    }
    return fitting.getFirst();
  }
}
