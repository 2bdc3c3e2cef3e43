/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.Files;
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
 * Brings the work of parallel branches together: applies to a target what each branch changed in
 * its copy of the same base. The result does not depend on the order of the branches. One use, one
 * thread.
 */
public final class TreeMerge {
  /**
   * A branch's tree after its work.
   *
   * @param name for conflicts; unique in a merge
   * @param listing of {@code root}, which must not change any more, with the excludes that the base
   *     was listed with
   */
  public record Branch(String name, Path root, TreeListing listing) {}

  private final Path target;
  private final MergePlan plan;
  private final Map<String, Branch> branches = new HashMap<>();
  private final Map<String, Map<TreePath, List<TreePath>>> names = new HashMap<>();
  private final Set<TreePath> pending = new HashSet<>();

  private TreeMerge(Path target, MergePlan plan, List<Branch> branches) {
    this.target = target;
    this.plan = plan;
    for (Branch branch : branches) {
      this.branches.put(branch.name(), branch);
      names.put(branch.name(), namesByFile(branch.listing()));
    }
  }

  /**
   * Merges. What the base's listing leaves out (its excludes) is neither compared nor touched,
   * unless a branch removes a directory around it.
   *
   * @param base the listing of the tree that every branch started from
   * @param target a tree equal to the base (not checked)
   * @throws IllegalArgumentException if two branches have the same name
   * @throws IOException if a file operation fails; the target is then half merged and must be
   *     restored from its cut
   */
  public static MergeResult merge(TreeListing base, List<Branch> branches, Path target)
      throws IOException {
    MergePlan plan = MergePlan.of(base, branches);
    List<MergeResult.Clash> clashes = plan.clashes();
    return clashes.isEmpty()
        ? new TreeMerge(target, plan, branches).apply()
        : new MergeResult.MergeConflict(clashes);
  }

  private MergeResult apply() throws IOException {
    NavigableMap<TreePath, MergePlan.Outcome> outcomes = plan.outcomes();
    List<TreePath> added = new ArrayList<>();
    List<TreePath> modified = new ArrayList<>();
    List<TreePath> deleted = new ArrayList<>();
    unlockDirectories();
    for (TreePath path : plan.base().descendingKeySet()) {
      MergePlan.Outcome outcome = outcomes.get(path);
      if (outcome == null) {
        deleted.add(path);
        remove(path);
      } else if (outcome.from() != null) {
        modified.add(path);
        removeUnlessBothDirectories(path, outcome);
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
    setDirectories();
    return new MergeResult.Merged(added, modified.reversed(), deleted.reversed());
  }

  private Path in(TreePath path) {
    return RawNames.resolve(target, path);
  }

  private void unlockDirectories() throws IOException {
    for (TreeEntry entry : plan.base().values()) {
      if (entry instanceof TreeEntry.Directory d && (d.mode() & 0700) != 0700) {
        Attributes.setMode(in(d.path()), 0700);
      }
    }
  }

  private void remove(TreePath path) throws IOException {
    List<String> problems = TreeDelete.delete(in(path));
    if (!problems.isEmpty()) {
      throw new IOException("cannot remove " + path + ": " + String.join("; ", problems));
    }
  }

  private void removeUnlessBothDirectories(TreePath path, MergePlan.Outcome outcome)
      throws IOException {
    boolean both =
        plan.base().get(path) instanceof TreeEntry.Directory
            && outcome.entry() instanceof TreeEntry.Directory;
    if (!both) {
      remove(path);
    }
  }

  private void make(MergePlan.Outcome outcome) throws IOException {
    TreePath path = outcome.entry().path();
    String from = outcome.from();
    if (from == null) {
      touch(outcome.entry());
      return;
    }
    Path source = RawNames.resolve(Objects.requireNonNull(branches.get(from)).root(), path);
    switch (outcome.entry()) {
      case TreeEntry.Directory d -> {
        if (!Files.isDirectory(in(path))) {
          Files.createDirectory(in(path));
        }
        Attributes.setMode(in(path), 0700);
      }
      case TreeEntry.Symlink l -> TreeCopy.symlink(source, in(path), l.mtime());
      case TreeEntry.RegularFile f -> {
        TreePath twin = twin(from, f);
        if (twin == null) {
          TreeCopy.file(source, in(path), f.mode(), f.mtime());
        } else {
          Files.createLink(in(path), in(twin));
        }
      }
      case TreeEntry.HardLink h -> throw new IllegalStateException("a plan has no hard links");
    }
    pending.remove(path);
  }

  private void touch(TreeEntry entry) throws IOException {
    if (entry.equals(plan.base().get(entry.path()))) {
      return;
    }
    switch (entry) {
      case TreeEntry.RegularFile f -> Attributes.setMtime(in(f.path()), f.mtime());
      case TreeEntry.Symlink l -> Attributes.setMtime(in(l.path()), l.mtime());
      case TreeEntry.Directory d -> {}
      case TreeEntry.HardLink h -> throw new IllegalStateException("a plan has no hard links");
    }
  }

  /** Another name of the same file in its branch that is already in the target, as it shall be. */
  private @Nullable TreePath twin(String from, TreeEntry.RegularFile file) {
    List<TreePath> all =
        Objects.requireNonNull(names.get(from)).getOrDefault(file.path(), List.of());
    for (TreePath name : all) {
      MergePlan.Outcome other = plan.outcomes().get(name);
      if (other != null
          && !name.equals(file.path())
          && !pending.contains(name)
          && other.entry() instanceof TreeEntry.RegularFile twin
          && MergePlan.sameContent(twin, file)
          && twin.mtime().equals(file.mtime())) {
        return name;
      }
    }
    return null;
  }

  private static Map<TreePath, List<TreePath>> namesByFile(TreeListing listing) {
    Map<TreePath, List<TreePath>> byFile = new HashMap<>();
    for (TreeEntry entry : listing.entries()) {
      if (entry instanceof TreeEntry.HardLink h) {
        List<TreePath> group =
            byFile.computeIfAbsent(h.first(), first -> new ArrayList<>(List.of(first)));
        group.add(h.path());
        byFile.put(h.path(), group);
      }
    }
    return byFile;
  }

  private void setDirectories() throws IOException {
    for (MergePlan.Outcome outcome : plan.outcomes().descendingMap().values()) {
      if (outcome.entry() instanceof TreeEntry.Directory d) {
        Attributes.setMtime(in(d.path()), d.mtime());
        Attributes.setMode(in(d.path()), d.mode());
      }
    }
  }
}
