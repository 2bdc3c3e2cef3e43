/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.Context;
import dev.baton.cli.command.ExitCode;
import dev.baton.milestone.git.Repository;
import dev.baton.milestone.sidecar.Sidecars;
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
    T in(Repository repository) throws IOException, InterruptedException;
  }

  /**
   * @throws CliFailure when there is no repository, or git fails in it
   */
  <T> T work(Context context, Work<T> work) {
    try {
      Repository repository;
      try {
        repository = Repository.around(repo.toAbsolutePath(), context.environment());
      } catch (IOException e) {
        throw CliFailure.of(
            ExitCode.USAGE, e.getMessage() + "; say which repository with --repo DIR", e);
      }
      return work.in(repository);
    } catch (IOException e) {
      throw CliFailure.of(ExitCode.FAILED, String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.of(ExitCode.INTERRUPTED, "interrupted", e);
    }
  }

  /**
   * The run that is meant: what is no end of a known one is taken as it is, since other tools have
   * ids of other forms.
   *
   * @throws CliFailure when several runs end so
   */
  static String run(Sidecars.Listing listing, String text) {
    if (text.isBlank()) {
      throw CliFailure.usage("the run's id is empty");
    }
    List<String> fitting = listing.runs().stream().filter(known -> known.endsWith(text)).toList();
    if (fitting.contains(text) || fitting.isEmpty()) {
      return text;
    }
    if (fitting.size() > 1) {
      throw CliFailure.detailed(
          ExitCode.AMBIGUOUS, "'" + text + "' fits several runs: give all of the id", fitting);
    }
    return fitting.getFirst();
  }
}
