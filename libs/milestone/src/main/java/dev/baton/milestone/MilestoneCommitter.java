/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

import dev.baton.milestone.git.GitClient;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.plan.MilestoneResumePlanner;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Commits a work tree as a milestone and writes its sidecar. Supports one writer per work tree at a
 * time; blocks.
 */
public final class MilestoneCommitter {
  private static final String NAME = "Baton";
  private static final String EMAIL = "baton@localhost";
  private static final String OWN = ".baton";

  /**
   * Unfinished git operations that block a milestone commit, by their marker file in the git
   * directory.
   */
  private static final Map<String, String> UNFINISHED =
      Map.of(
          "MERGE_HEAD", "merge",
          "CHERRY_PICK_HEAD", "cherry-pick",
          "REVERT_HEAD", "revert",
          "rebase-merge", "rebase",
          "rebase-apply", "rebase");

  private final Map<String, String> environment;
  private final Clock clock;
  private final GitClient.Starter starter;

  /**
   * The content of a milestone.
   *
   * @param index number of the next milestone according to the run's state
   * @param tier verification tier: {@code tier0}, {@code tier1} or {@code tier2}
   * @param commands verification commands that passed
   * @param leftOut paths, relative to the work tree, that are missing although no step deleted
   *     them: those that are tracked stay in the commit
   * @param newest number of the newest milestone that the work tree has according to the run's
   *     state, less than {@code index}: milestones of other work trees may come after it; -1 for
   *     none
   */
  public record Request(
      String run,
      int index,
      String title,
      String tier,
      List<String> commands,
      List<String> leftOut,
      int newest) {
    public Request {
      commands = List.copyOf(commands);
      leftOut = List.copyOf(leftOut);
    }

    /**
     * Creates a request for a work tree without missing paths, of which the state has no milestone.
     */
    public Request(String run, int index, String title, String tier, List<String> commands) {
      this(run, index, title, tier, commands, List.of(), -1);
    }
  }

  /**
   * @param environment of the step: {@code GIT_AUTHOR_NAME} and similar variables take precedence
   *     over the repository's settings, which take precedence over a default
   */
  public MilestoneCommitter(Map<String, String> environment, Clock clock) {
    this(environment, clock, ProcessBuilder::startPipeline);
  }

  /**
   * Creates a committer with a custom process starter.
   *
   * @param starter starts the git processes
   */
  public MilestoneCommitter(
      Map<String, String> environment, Clock clock, GitClient.Starter starter) {
    this.starter = starter;
    this.environment = Map.copyOf(environment);
    this.clock = clock;
  }

  /**
   * Commits the work tree and writes the sidecar. If the repository and the run's state disagree
   * about the newest milestone of the run, the repository takes precedence: the new number is the
   * one after its newest. If the repository has no milestone of the run at all, it is another one
   * than before, and the state's number is used.
   *
   * @param root of the work tree; only the repository in its {@code .git} directory is used
   * @param limit of each git call
   * @throws MilestoneException when the commit or its sidecar could not be created
   */
  public CommittedMilestone make(Path root, Request request, Duration limit)
      throws MilestoneException, InterruptedException {
    GitRepository repository =
        GitRepository.at(root, environment, limit, starter)
            .orElseThrow(
                () ->
                    new MilestoneException(
                        "the workspace has no repository of its own ('.git' in its root is not a"
                            + " directory): begin one with 'git init', or clone into '.'",
                        false));
    try {
      checkCommittable(repository);
      SidecarStore sidecars = new SidecarStore(root, SidecarStore.Format.BATON);
      Numbering numbering = numbering(repository, sidecars, request);
      int index = numbering.index;
      exclude(repository);
      String sha = commit(repository, request, MilestoneMessageCodec.of(request.run(), index));
      MilestoneSidecar sidecar = sidecar(repository, request, index, sha);
      return new CommittedMilestone(
          sidecar, sidecars.write(sidecar), Optional.ofNullable(numbering.drift));
    } catch (IOException e) {
      throw new MilestoneException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * @param drift the difference between state and repository; null where they agree
   */
  private record Numbering(int index, @Nullable String drift) {}

  private static Numbering numbering(
      GitRepository repository, SidecarStore sidecars, Request request)
      throws IOException, InterruptedException {
    OptionalInt recorded =
        sidecars
            .list()
            .latest(request.run())
            .map(sidecar -> OptionalInt.of(sidecar.milestoneIndex()))
            .orElseGet(OptionalInt::empty);
    if (recorded.isPresent() && recorded.getAsInt() >= request.index()) {
      return drifted(request.index(), recorded.getAsInt());
    }
    // A clone has no sidecars, and its messages have the number; they are searched only if needed.
    OptionalInt found =
        recorded.isPresent() || request.newest() < 0
            ? recorded
            : newestInLog(repository, request.run());
    if (found.isPresent() && found.getAsInt() < request.newest()) {
      return drifted(request.index(), found.getAsInt());
    }
    return new Numbering(
        request.index(),
        found.isPresent() || request.newest() < 0
            ? null
            : "milestone number mismatch: the run's state has milestone %d, the repository has none of the run; using the state's next, %d"
                .formatted(request.newest(), request.index()));
  }

  private static Numbering drifted(int expected, int newest) {
    return new Numbering(
        newest + 1,
        "milestone number mismatch: the run's state expects milestone %d, the repository's newest is %d; using the repository's"
            .formatted(expected, newest));
  }

  private static OptionalInt newestInLog(GitRepository repository, String run)
      throws IOException, InterruptedException {
    return MilestoneResumePlanner.plan(repository, run)
        .checkpoint()
        .filter(found -> found.format().equals(SidecarStore.Format.BATON.word()))
        .map(found -> OptionalInt.of(found.milestoneIndex()))
        .orElseGet(OptionalInt::empty);
  }

  private static void checkCommittable(GitRepository repository)
      throws IOException, InterruptedException, MilestoneException {
    for (Map.Entry<String, String> unfinished : UNFINISHED.entrySet()) {
      if (Files.exists(repository.own(unfinished.getKey()))) {
        String what = unfinished.getValue();
        throw new MilestoneException(
            "a %s is in progress in the workspace's repository: the step has to end it with 'git %s --continue' or '--abort' before it completes"
                .formatted(what, what),
            true);
      }
    }
    String unmerged = repository.git().ask("diff", "--name-only", "--diff-filter=U");
    if (!unmerged.isEmpty()) {
      throw new MilestoneException(
          "files are not merged: the step has to resolve and 'git add' "
              + String.join(", ", unmerged.lines().limit(5).toList()),
          true);
    }
  }

  /** Excludes Baton's own folder in the work tree from the history. */
  private static void exclude(GitRepository repository) throws IOException, InterruptedException {
    Path file = repository.own("info/exclude");
    String line = "/" + OWN + "/";
    String known = Files.exists(file) ? Files.readString(file) : "";
    if (known.lines().noneMatch(line::equals)) {
      Files.createDirectories(file.resolveSibling("."));
      Files.writeString(
          file,
          (known.isEmpty() || known.endsWith("\n") ? "" : "\n") + line + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  private String commit(GitRepository repository, Request request, String message)
      throws IOException, InterruptedException {
    GitClient git = identified(repository.git());
    git.ask(addAllBut(request.leftOut()));
    unstageOwn(repository);
    if (isLeftover(repository, message)) {
      git.ask("commit", "--amend", "--no-edit", "--allow-empty", "--no-verify", "--quiet");
    } else {
      git.ask(
          "commit",
          "--allow-empty",
          "--no-verify",
          "--quiet",
          "--cleanup=verbatim",
          "--message",
          message);
    }
    return repository.git().ask("rev-parse", "--verify", "HEAD^{commit}");
  }

  private static String[] addAllBut(List<String> leftOut) {
    List<String> words = new ArrayList<>(List.of("add", "--all", "--", "."));
    leftOut.forEach(path -> words.add(":(top,exclude,literal)" + path));
    return words.toArray(new String[0]);
  }

  /**
   * Unstages Baton's own folder, which a rule of the repository or the step may have staged despite
   * the exclusion.
   */
  private static void unstageOwn(GitRepository repository)
      throws IOException, InterruptedException {
    GitClient git = repository.git();
    if (repository.head().isEmpty()) {
      git.ask("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", OWN);
    } else if (!git.call("diff", "--cached", "--quiet", "--", OWN).isOk()) {
      git.ask("reset", "--quiet", "--", OWN);
    }
  }

  /**
   * Whether the newest commit already has this milestone's message: left by an earlier attempt that
   * failed to write its sidecar and whose files could not be restored.
   */
  private static boolean isLeftover(GitRepository repository, String message)
      throws IOException, InterruptedException {
    return repository.head().isPresent()
        && repository.git().ask("log", "--max-count=1", "--format=%B").strip().equals(message);
  }

  private static GitClient identified(GitClient git) throws IOException, InterruptedException {
    GitClient identified = git;
    for (String role : List.of("AUTHOR", "COMMITTER")) {
      identified = identified(identified, "GIT_" + role + "_NAME", "user.name", NAME);
      identified = identified(identified, "GIT_" + role + "_EMAIL", "user.email", EMAIL);
    }
    return identified;
  }

  private static GitClient identified(
      GitClient git, String variable, String setting, String otherwise)
      throws IOException, InterruptedException {
    return git.hasVariable(variable) || git.call("config", "--get", setting).isOk()
        ? git
        : git.with(variable, otherwise);
  }

  private MilestoneSidecar sidecar(GitRepository repository, Request request, int index, String sha)
      throws IOException, InterruptedException {
    GitClient git = repository.git();
    return new MilestoneSidecar(
        MilestoneSidecar.SCHEMA_VERSION,
        sha,
        request.run(),
        index,
        request.title(),
        clock.instant(),
        request.tier(),
        request.commands(),
        git.ask("rev-parse", "--verify", sha + "^{tree}"),
        git.patchIds(List.of("diff-tree", "--root"), sha).get(sha));
  }
}
