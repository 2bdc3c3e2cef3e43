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

/** {@code --repo}, and work in it. */
final class RepositoryOption {
  @Option(
      names = "--repo",
      paramLabel = "DIR",
      description = "The repository, or a directory in it. Default: the current directory.")
  private Path repo = Path.of("");

  /** What is done in a repository. */
  interface Work<T> {
    T in(GitRepository repository) throws IOException, InterruptedException;
  }

  /**
   * @throws CliException when there is no repository, or git fails in it
   */
  <T> T work(CommandContext context, Work<T> work) {
    try {
      GitRepository repository;
      try {
        repository = GitRepository.around(repo.toAbsolutePath(), context.environment());
      } catch (IOException e) {
        throw CliException.of(
            CliExitCode.USAGE, e.getMessage() + "; say which repository with --repo DIR", e);
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
   * The run that is meant: what is no end of a known one is taken as it is, since other tools have
   * ids of other forms.
   *
   * @throws CliException when several runs end so
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
          CliExitCode.AMBIGUOUS, "'" + text + "' fits several runs: give all of the id", fitting);
    }
    return fitting.getFirst();
  }
}
