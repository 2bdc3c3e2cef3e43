/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.files.DirectoryRemover;
import dev.baton.snapshot.files.FileCopier;
import dev.baton.snapshot.files.TreeNavigator;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Merges parallel branches: applies to a target what each branch changed in its copy of the same
 * base. The result does not depend on the order of the branches. Single use, one thread.
 */
public final class TreeMerger implements AutoCloseable {
  private static final int MAX_DEGRADED = 1000;

  /**
   * The tree of a branch after its work.
   *
   * @param name for conflicts; unique in a merge
   * @param listing of {@code root}, which must not change any more, created with the same excludes
   *     as the listing of the base
   */
  public record Branch(String name, Path root, TreeListing listing) {}

  private final MergePlan plan;
  private final TreeNavigator target;
  private final TreeNavigator twins;
  private final MergeDirectoryHandler directories;
  private final Map<String, TreeNavigator> sources = new HashMap<>();
  private final Map<String, Map<TreePath, List<TreePath>>> names = new HashMap<>();
  private final Set<TreePath> pending = new HashSet<>();
  private final FileCopier files = new FileCopier();
  private final List<String> degraded = new ArrayList<>();

  private TreeMerger(Path root, MergePlan plan) throws IOException {
    this.plan = plan;
    target = TreeNavigator.of(root);
    twins = TreeNavigator.of(root);
    directories = new MergeDirectoryHandler(plan, target, this::degrade);
  }

  /**
   * Merges the branches into the target. Paths that the base's listing excludes are neither
   * compared nor changed, unless a branch removes a directory around them.
   *
   * @param base the listing of the tree that every branch started from
   * @param target a tree equal to the base (not checked)
   * @throws IllegalArgumentException if two branches have the same name
   * @throws IOException if a file operation fails; the target is then partially merged and must be
   *     restored from its checkpoint
   */
  public static MergeResult merge(TreeListing base, List<Branch> branches, Path target)
      throws IOException {
    MergePlan plan = MergePlan.of(base, branches);
    List<MergeResult.Clash> clashes = plan.clashes();
    if (!clashes.isEmpty()) {
      return new MergeResult.MergeConflict(clashes);
    }
    try (TreeMerger merge = new TreeMerger(target, plan)) {
      for (Branch branch : branches) {
        merge.sources.put(branch.name(), TreeNavigator.of(branch.root()));
        merge.names.put(branch.name(), MergePlan.namesByFile(branch.listing()));
      }
      return merge.apply();
    }
  }

  @Override
  public void close() throws IOException {
    try (target;
        twins) {
      for (TreeNavigator source : sources.values()) {
        source.close();
      }
    }
  }

  private MergeResult apply() throws IOException {
    NavigableMap<TreePath, MergePlan.Outcome> outcomes = plan.outcomes();
    List<TreePath> added = new ArrayList<>();
    List<TreePath> modified = new ArrayList<>();
    List<TreePath> deleted = new ArrayList<>();
    for (TreePath path : plan.base().descendingKeySet()) {
      MergePlan.Outcome outcome = outcomes.get(path);
      if (outcome == null) {
        deleted.add(path);
        remove(path);
      } else if (outcome.from() != null) {
        modified.add(path);
        if (!staysDirectory(path, outcome)) {
          remove(path);
        }
      }
    }
    outcomes.forEach(
        (path, outcome) -> {
          if (outcome.from() != null) {
            pending.add(path);
            if (!plan.base().containsKey(path)) {
              added.add(path);
            }
          }
        });
    for (MergePlan.Outcome outcome : outcomes.values()) {
      make(outcome);
    }
    directories.settle();
    return new MergeResult.Merged(added, modified.reversed(), deleted.reversed(), degraded);
  }

  private boolean staysDirectory(TreePath path, MergePlan.Outcome outcome) {
    return plan.base().get(path) instanceof TreeEntry.Directory
        && outcome.entry() instanceof TreeEntry.Directory;
  }

  private void degrade(TreePath path, String why) {
    if (degraded.size() < MAX_DEGRADED) {
      degraded.add(path + ": " + why);
    }
  }

  private void remove(TreePath path) throws IOException {
    OpenDirectory in = directories.opened(path.parent());
    List<String> problems = DirectoryRemover.remove(in, path.name());
    if (!problems.isEmpty()) {
      throw new IOException("cannot remove " + path + ": " + String.join("; ", problems));
    }
  }

  private void make(MergePlan.Outcome outcome) throws IOException {
    TreePath path = outcome.entry().path();
    String from = outcome.from();
    if (from == null) {
      touch(outcome.entry());
      return;
    }
    boolean there = !plan.base().containsKey(path) && isDirectoryThere(outcome.entry());
    switch (outcome.entry()) {
      case TreeEntry.Directory d -> {
        if (!there && !staysDirectory(path, outcome)) {
          directories.opened(path.parent()).mkdir(path.name(), 0700);
        }
        directories.opened(path);
      }
      case TreeEntry.Symlink l -> {
        OpenDirectory in = directories.opened(path.parent());
        in.symlink(path.name(), l.target());
        in.setModified(path.name(), l.mtime().seconds(), l.mtime().nanos());
      }
      case TreeEntry.RegularFile f -> {
        TreePath twin = twin(from, f);
        OpenDirectory in = directories.opened(path.parent());
        if (twin == null) {
          copy(Objects.requireNonNull(sources.get(from)), f, in);
        } else {
          in.link(twins.in(twin.parent().raw()), twin.name(), path.name());
        }
      }
      case TreeEntry.HardLink h -> throw new IllegalStateException("a plan has no hard links");
    }
    pending.remove(path);
  }

  /**
   * Removes an entry of the target that the base's listing does not have, because it was excluded
   * from the listing. An existing directory stays with its content.
   */
  private boolean isDirectoryThere(TreeEntry entry) throws IOException {
    TreePath path = entry.path();
    StatBuffer stat = new StatBuffer();
    if (!directories.opened(path.parent()).statIfPresent(path.name(), stat)) {
      return false;
    }
    if (entry instanceof TreeEntry.Directory && stat.kind() == FileKind.DIRECTORY) {
      return true;
    }
    remove(path);
    return false;
  }

  private void copy(TreeNavigator source, TreeEntry.RegularFile file, OpenDirectory in)
      throws IOException {
    TreePath path = file.path();
    OpenDirectory from = source.in(path.parent().raw());
    try (OpenFile open = from.openForReading(path.name(), new StatBuffer())) {
      if (!files.copy(open, in, path.name(), why -> degrade(path, why))) {
        throw new IOException(
            "%s changed during the merge: a branch must have ended".formatted(open.path()));
      }
    }
    in.setModified(path.name(), file.meta().seconds(), file.meta().nanos());
  }

  /** Sets a new modification time if the time differs from the base. */
  private void touch(TreeEntry entry) throws IOException {
    TreePath path = entry.path();
    if (entry.equals(plan.base().get(path))) {
      return;
    }
    if (entry instanceof TreeEntry.Directory) {
      directories.opened(path);
    } else {
      Mtime mtime = MergePlan.mtime(entry);
      directories.opened(path.parent()).setModified(path.name(), mtime.seconds(), mtime.nanos());
    }
  }

  /**
   * Returns another name of the same file in its branch that the target already has in its final
   * state.
   */
  private @Nullable TreePath twin(String from, TreeEntry.RegularFile file) {
    List<TreePath> all =
        Objects.requireNonNull(names.get(from)).getOrDefault(file.path(), List.of());
    for (TreePath name : all) {
      MergePlan.Outcome other = plan.outcomes().get(name);
      if (other != null
          && !name.equals(file.path())
          && !pending.contains(name)
          && other.entry() instanceof TreeEntry.RegularFile twin
          && twin.meta().equals(file.meta())
          && twin.content().equals(file.content())) {
        return name;
      }
    }
    return null;
  }
}
