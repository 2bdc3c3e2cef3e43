/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.history;

import dev.baton.milestone.MilestoneMessageCodec;
import dev.baton.milestone.git.GitClient;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.history.MilestoneLocation.By;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Locates milestones in the history of the commit that was checked out when this was created. Only
 * reads. Not thread-safe.
 *
 * <p>A commit that is not in the history is searched by its message, then by its patch id, then by
 * its tree, then by the combined patch of all commits up to it, then by the milestone after it. A
 * milestone that none of these finds is unreachable or missing.
 */
public final class MilestoneLocator {
  /**
   * Limit of commits whose patches are compared, to bound the time; the result reports when it was
   * reached.
   */
  static final int MOST_PATCHES = 5_000;

  private static final char FIELD = '\u0001';
  private static final int MOST_REFS = 3;

  private final GitClient git;
  private final @Nullable String head;
  private final Map<String, List<LogEntry>> logs = new HashMap<>();
  private final Map<String, Map<String, String>> patches = new HashMap<>();
  private @Nullable Map<String, String> trees;
  private boolean bounded;

  /**
   * A commit of the history.
   *
   * @param message the whole commit message
   */
  public record LogEntry(String commit, String message) {
    public String subject() {
      return message.lines().findFirst().orElse("");
    }
  }

  private MilestoneLocator(GitClient git, @Nullable String head) {
    this.git = git;
    this.head = head;
  }

  public static MilestoneLocator of(GitRepository repository)
      throws IOException, InterruptedException {
    return new MilestoneLocator(repository.git(), repository.head().orElse(null));
  }

  public boolean isShallow() throws IOException, InterruptedException {
    return git.ask("rev-parse", "--is-shallow-repository").equals("true");
  }

  /** Returns the commits whose message contains this text, newest first. */
  public List<LogEntry> log(String text) throws IOException, InterruptedException {
    List<LogEntry> known = logs.get(text);
    if (known != null) {
      return known;
    }
    List<LogEntry> entries = new ArrayList<>();
    if (head != null) {
      String all =
          git.ask("log", "--fixed-strings", "--grep=" + text, "--format=%x01%H%x01%B", head);
      String[] parts = all.split(String.valueOf(FIELD), -1);
      for (int i = 1; i + 1 < parts.length; i += 2) {
        entries.add(new LogEntry(parts[i], parts[i + 1].strip()));
      }
    }
    logs.put(text, entries);
    return entries;
  }

  /**
   * Locates the milestones of one run.
   *
   * @param milestones in ascending order
   */
  public List<MilestoneLocation> locate(List<MilestoneSidecar> milestones)
      throws IOException, InterruptedException {
    List<MilestoneLocation> located = new ArrayList<>();
    MilestoneLocation.@Nullable Squashed later = null;
    // Newest first: the squash commit that contains a later milestone contains its predecessors
    // too.
    for (MilestoneSidecar sidecar : milestones.reversed()) {
      MilestoneLocation found = locate(sidecar, later);
      if (found instanceof MilestoneLocation.Squashed squashed) {
        later = squashed;
      }
      located.add(found);
    }
    return located.reversed();
  }

  private MilestoneLocation locate(
      MilestoneSidecar sidecar, MilestoneLocation.@Nullable Squashed later)
      throws IOException, InterruptedException {
    boolean exists = git.call("cat-file", "-e", sidecar.sha() + "^{commit}").isOk();
    if (head == null) {
      return exists
          ? new MilestoneLocation.Unreachable(sidecar, "nothing is checked out that has a history")
          : new MilestoneLocation.Missing(sidecar, "the repository has no commit checked out");
    }
    if (exists && isAncestor(sidecar.sha(), head)) {
      return new MilestoneLocation.Ok(sidecar);
    }
    Optional<MilestoneLocation> found = byMessage(sidecar);
    if (found.isEmpty()) {
      found = byPatch(sidecar, exists);
    }
    if (found.isEmpty() && sidecar.tree() != null) {
      String same = trees().get(sidecar.tree());
      found =
          Optional.ofNullable(same)
              .map(commit -> new MilestoneLocation.Squashed(sidecar, commit, By.TREE));
    }
    if (found.isEmpty() && exists) {
      found = byRange(sidecar);
    }
    if (found.isEmpty() && exists && later != null && isBefore(sidecar, later.sidecar())) {
      found = Optional.of(new MilestoneLocation.Squashed(sidecar, later.commit(), By.LATER));
    }
    if (found.isPresent()) {
      return found.get();
    }
    return exists ? unreachable(sidecar) : missing(sidecar);
  }

  private boolean isAncestor(String commit, String of) throws IOException, InterruptedException {
    return git.call("merge-base", "--is-ancestor", commit, of).isOk();
  }

  private boolean isBefore(MilestoneSidecar sidecar, MilestoneSidecar later)
      throws IOException, InterruptedException {
    return isAncestor(sidecar.sha(), later.sha());
  }

  private Optional<MilestoneLocation> byMessage(MilestoneSidecar sidecar)
      throws IOException, InterruptedException {
    String text = MilestoneMessageCodec.of(sidecar.runId(), sidecar.milestoneIndex());
    for (LogEntry entry : log(MilestoneMessageCodec.beginning("baton", sidecar.runId()))) {
      if (entry.message().equals(text)) {
        return Optional.of(new MilestoneLocation.Rewritten(sidecar, entry.commit(), By.MESSAGE));
      }
    }
    for (LogEntry entry : log(MilestoneMessageCodec.beginning("baton", sidecar.runId()))) {
      if (MilestoneMessageCodec.lists(sidecar.runId(), sidecar.milestoneIndex(), entry.message())) {
        return Optional.of(
            isAlone(entry, sidecar)
                ? new MilestoneLocation.Rewritten(sidecar, entry.commit(), By.MESSAGE)
                : new MilestoneLocation.Squashed(sidecar, entry.commit(), By.MESSAGE));
      }
    }
    return Optional.empty();
  }

  /**
   * Whether the milestone's message is the subject and no other milestone's message follows: then
   * only lines were added to the message, as by {@code cherry-pick -x}.
   */
  private static boolean isAlone(LogEntry entry, MilestoneSidecar sidecar) {
    return entry
            .subject()
            .equals(MilestoneMessageCodec.of(sidecar.runId(), sidecar.milestoneIndex()))
        && entry
                .message()
                .lines()
                .filter(
                    line ->
                        line.contains(MilestoneMessageCodec.beginning("baton", sidecar.runId())))
                .count()
            == 1;
  }

  private Optional<MilestoneLocation> byPatch(MilestoneSidecar sidecar, boolean exists)
      throws IOException, InterruptedException {
    String patch = sidecar.patchId();
    if (patch == null && exists) {
      patch = git.patchIds(List.of("diff-tree", "--root"), sidecar.sha()).get(sidecar.sha());
    }
    if (patch == null) {
      return Optional.empty();
    }
    String same = patches(exists ? base(sidecar.sha()) : Optional.empty()).get(patch);
    return Optional.ofNullable(same)
        .map(commit -> new MilestoneLocation.Rewritten(sidecar, commit, By.PATCH));
  }

  /** Searches the combined change from the common ancestor to the milestone. */
  private Optional<MilestoneLocation> byRange(MilestoneSidecar sidecar)
      throws IOException, InterruptedException {
    Optional<String> base = base(sidecar.sha());
    if (base.isEmpty()) {
      return Optional.empty();
    }
    // A diff of two commits has no commit id: git patch-id prints zeros instead.
    Optional<String> patch =
        git.patchIds(List.of("diff"), base.get(), sidecar.sha()).values().stream().findFirst();
    String same = patch.isEmpty() ? null : patches(base).get(patch.get());
    return Optional.ofNullable(same)
        .map(commit -> new MilestoneLocation.Squashed(sidecar, commit, By.PATCH));
  }

  private Optional<String> base(String sha) throws IOException, InterruptedException {
    GitClient.Answer answer = git.call("merge-base", sha, String.valueOf(head));
    return answer.isOk() ? Optional.of(answer.out()) : Optional.empty();
  }

  /**
   * Returns the newest commit for each patch id, among those since a commit, or among the newest
   * {@value #MOST_PATCHES} of all.
   */
  private Map<String, String> patches(Optional<String> since)
      throws IOException, InterruptedException {
    String range = since.map(base -> base + "..").orElse("") + head;
    Map<String, String> known = patches.get(range);
    if (known != null) {
      return known;
    }
    Map<String, String> byPatch = new HashMap<>();
    Map<String, String> ids =
        git.patchIds(
            List.of("log", "--no-merges", "--max-count=" + MOST_PATCHES, "--format=commit %H"),
            range);
    bounded |= ids.size() >= MOST_PATCHES;
    ids.forEach((commit, patch) -> byPatch.putIfAbsent(patch, commit));
    patches.put(range, byPatch);
    return byPatch;
  }

  /** Returns the oldest commit for each tree. */
  private Map<String, String> trees() throws IOException, InterruptedException {
    Map<String, String> known = trees;
    if (known == null) {
      Map<String, String> read = new HashMap<>();
      git.read(
          line ->
              read.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)),
          "log",
          "--format=%T %H",
          String.valueOf(head));
      trees = read;
      return read;
    }
    return known;
  }

  private MilestoneLocation unreachable(MilestoneSidecar sidecar)
      throws IOException, InterruptedException {
    List<String> refs =
        git.ask(
                "for-each-ref",
                "--contains=" + sidecar.sha(),
                "--count=" + MOST_REFS,
                "--format=%(refname:short)")
            .lines()
            .toList();
    String where =
        refs.isEmpty()
            ? "no branch or tag has it: git removes it some time after it was reset, rebased or amended away, unless 'git branch keep "
                + sidecar.sha()
                + "' keeps it"
            : String.join(", ", refs) + " has it: check that out, or merge it";
    return new MilestoneLocation.Unreachable(
        sidecar,
        "the commit exists, but what is checked out does not come from it; " + where + notAll());
  }

  private MilestoneLocation missing(MilestoneSidecar sidecar)
      throws IOException, InterruptedException {
    return new MilestoneLocation.Missing(
        sidecar,
        (isShallow()
                ? "the commit is not here, and the repository is shallow: 'git fetch --unshallow' may bring it"
                : "the commit is gone: pruned after the history was rewritten, or never fetched into this repository; no commit has its message, its changes or its files")
            + notAll());
  }

  private String notAll() {
    return bounded
        ? " (changes were compared with the newest " + MOST_PATCHES + " commits only)"
        : "";
  }
}
