/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.MergeResult.Clash;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a merge makes of every path; touches no file.
 *
 * <p>Per path: nobody changed it, it stays; those who changed it agree, it becomes that; they do
 * not, it is a clash. Content is kind, mode and bytes (or link target). Times never clash: the
 * latest one wins, and a mere new time loses to a change or a deletion. Names of one file (hard
 * links) are compared as files of their own.
 */
final class MergePlan {
  /**
   * @param entry as it shall be; never a hard link
   * @param from the branch to take it from; null where only its time changes, if anything
   */
  record Outcome(TreeEntry entry, @Nullable String from) {}

  private final NavigableMap<TreePath, TreeEntry> base;
  private final SortedMap<String, NavigableMap<TreePath, TreeEntry>> branches = new TreeMap<>();
  private final NavigableMap<TreePath, Outcome> outcomes = new TreeMap<>();
  private final SortedMap<TreePath, TreeSet<String>> changers = new TreeMap<>();
  private final SortedMap<TreePath, Clash> clashes = new TreeMap<>();

  private MergePlan(TreeListing base, List<TreeMerge.Branch> branches) {
    this.base = files(base);
    for (TreeMerge.Branch branch : branches) {
      if (this.branches.put(branch.name(), files(branch.listing())) != null) {
        throw new IllegalArgumentException("two branches are named '" + branch.name() + "'");
      }
    }
  }

  static MergePlan of(TreeListing base, List<TreeMerge.Branch> branches) {
    MergePlan plan = new MergePlan(base, branches);
    TreeSet<TreePath> paths = new TreeSet<>(plan.base.keySet());
    plan.branches.values().forEach(b -> paths.addAll(b.keySet()));
    paths.forEach(plan::decide);
    plan.outcomes.keySet().forEach(plan::checkParent);
    return plan;
  }

  /** Empty, or the plan must not be carried out. */
  List<Clash> clashes() {
    return List.copyOf(clashes.values());
  }

  /** All that the merged tree holds, sorted. */
  NavigableMap<TreePath, Outcome> outcomes() {
    return outcomes;
  }

  NavigableMap<TreePath, TreeEntry> base() {
    return base;
  }

  /** The listing's entries by path, further names of a file as files. */
  static NavigableMap<TreePath, TreeEntry> files(TreeListing listing) {
    NavigableMap<TreePath, TreeEntry> files = new TreeMap<>();
    for (TreeEntry entry : listing.entries()) {
      TreeEntry file =
          entry instanceof TreeEntry.HardLink h
                  && files.get(h.first()) instanceof TreeEntry.RegularFile f
              ? new TreeEntry.RegularFile(h.path(), f.mode(), f.mtime(), f.size(), f.sha256())
              : entry;
      files.put(entry.path(), file);
    }
    return files;
  }

  private void decide(TreePath path) {
    TreeEntry before = base.get(path);
    List<Outcome> changes = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>();
    boolean agree = true;
    Instant touched = before == null ? Instant.MIN : mtime(before);
    @Nullable TreeEntry first = null;
    for (Map.Entry<String, NavigableMap<TreePath, TreeEntry>> branch : branches.entrySet()) {
      TreeEntry after = branch.getValue().get(path);
      if (!sameContent(before, after)) {
        agree &= names.isEmpty() || sameContent(first, after);
        first = names.isEmpty() ? after : first;
        names.add(branch.getKey());
        if (after != null) {
          changes.add(new Outcome(after, branch.getKey()));
        }
      } else if (before != null && after != null && !mtime(after).equals(mtime(before))) {
        touched =
            touched.equals(mtime(before)) || mtime(after).isAfter(touched) ? mtime(after) : touched;
      }
    }
    if (names.isEmpty()) {
      outcomes.put(path, new Outcome(withMtime(Objects.requireNonNull(before), touched), null));
      return;
    }
    changers.put(path, names);
    if (!agree) {
      clashes.put(path, new Clash(path, List.copyOf(names)));
    } else if (!changes.isEmpty()) {
      Instant latest =
          changes.stream().map(c -> mtime(c.entry)).max(Instant::compareTo).orElseThrow();
      outcomes.put(
          path, new Outcome(withMtime(changes.getFirst().entry, latest), changes.getFirst().from));
    }
  }

  /** One branch put something into a directory that another removed or replaced. */
  private void checkParent(TreePath path) {
    TreePath parent = path.parent();
    Outcome in = outcomes.get(parent);
    boolean clashed = clashes.containsKey(path) || clashes.containsKey(parent);
    if (!clashed && (in == null || !(in.entry instanceof TreeEntry.Directory))) {
      TreeSet<String> names = new TreeSet<>(changers.getOrDefault(path, new TreeSet<>()));
      names.addAll(changers.getOrDefault(parent, new TreeSet<>()));
      clashes.put(path, new Clash(path, List.copyOf(names)));
    }
  }

  /** Equal but for path and time; null means absent. */
  static boolean sameContent(@Nullable TreeEntry a, @Nullable TreeEntry b) {
    if (a == null || b == null) {
      return a == b;
    }
    return switch (a) {
      case TreeEntry.Directory d -> b instanceof TreeEntry.Directory e && d.mode() == e.mode();
      case TreeEntry.RegularFile f ->
          b instanceof TreeEntry.RegularFile g
              && f.mode() == g.mode()
              && f.sha256().equals(g.sha256());
      case TreeEntry.Symlink l -> b instanceof TreeEntry.Symlink m && l.target().equals(m.target());
      case TreeEntry.HardLink h -> throw unresolved(h);
    };
  }

  private static Instant mtime(TreeEntry entry) {
    return switch (entry) {
      case TreeEntry.Directory d -> d.mtime();
      case TreeEntry.RegularFile f -> f.mtime();
      case TreeEntry.Symlink l -> l.mtime();
      case TreeEntry.HardLink h -> throw unresolved(h);
    };
  }

  private static TreeEntry withMtime(TreeEntry entry, Instant mtime) {
    return switch (entry) {
      case TreeEntry.Directory d -> new TreeEntry.Directory(d.path(), d.mode(), mtime);
      case TreeEntry.RegularFile f ->
          new TreeEntry.RegularFile(f.path(), f.mode(), mtime, f.size(), f.sha256());
      case TreeEntry.Symlink l -> new TreeEntry.Symlink(l.path(), mtime, l.target());
      case TreeEntry.HardLink h -> throw unresolved(h);
    };
  }

  private static IllegalStateException unresolved(TreeEntry.HardLink link) {
    return new IllegalStateException(
        "hard link " + link.path() + " comes before its file " + link.first());
  }
}
