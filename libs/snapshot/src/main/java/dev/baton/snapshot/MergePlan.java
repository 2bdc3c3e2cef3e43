/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.MergeResult.Clash;
import dev.baton.snapshot.format.FileMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides the merged state of every path; touches no file.
 *
 * <p>A path that no branch changed keeps its state. If all branches that changed it agree, it gets
 * their state. Otherwise it is a conflict. Content is kind, bytes (or link target), mode, owner and
 * extended attributes. Modification times never conflict: the latest one wins, and a change of the
 * time alone loses to a change of content or a deletion. Hard links to one file are compared as
 * separate files.
 */
final class MergePlan {
  /**
   * The merged state of a path.
   *
   * @param entry the merged entry; never a hard link
   * @param from the branch to copy it from; null if at most its time changes
   */
  record Outcome(TreeEntry entry, @Nullable String from) {}

  private final NavigableMap<TreePath, TreeEntry> base;
  private final SortedMap<String, NavigableMap<TreePath, TreeEntry>> branches = new TreeMap<>();
  private final NavigableMap<TreePath, Outcome> outcomes = new TreeMap<>();
  private final SortedMap<TreePath, TreeSet<String>> changers = new TreeMap<>();
  private final SortedMap<TreePath, Clash> clashes = new TreeMap<>();

  /** The branch that has set the new time of a path whose content no branch changed. */
  private final Map<TreePath, String> touchers = new HashMap<>();

  private MergePlan(TreeListing base, List<TreeMerger.Branch> branches) {
    this.base = files(base);
    for (TreeMerger.Branch branch : branches) {
      if (this.branches.put(branch.name(), files(branch.listing())) != null) {
        throw new IllegalArgumentException("two branches are named '" + branch.name() + "'");
      }
    }
  }

  static MergePlan of(TreeListing base, List<TreeMerger.Branch> branches) {
    MergePlan plan = new MergePlan(base, branches);
    TreeSet<TreePath> paths = new TreeSet<>(plan.base.keySet());
    plan.branches.values().forEach(b -> paths.addAll(b.keySet()));
    paths.forEach(plan::decide);
    Set.copyOf(namesByFile(base).values()).forEach(plan::separate);
    plan.outcomes.keySet().forEach(plan::checkParent);
    return plan;
  }

  /** Returns the conflicts; the plan must not be applied if there are any. */
  List<Clash> clashes() {
    return List.copyOf(clashes.values());
  }

  /** Returns all entries of the merged tree, sorted. */
  NavigableMap<TreePath, Outcome> outcomes() {
    return outcomes;
  }

  NavigableMap<TreePath, TreeEntry> base() {
    return base;
  }

  /** Returns the listing's entries by path, with hard links as regular files. */
  static NavigableMap<TreePath, TreeEntry> files(TreeListing listing) {
    NavigableMap<TreePath, TreeEntry> files = new TreeMap<>();
    for (TreeEntry entry : listing.entries()) {
      TreeEntry file =
          entry instanceof TreeEntry.HardLink h
                  && files.get(h.first()) instanceof TreeEntry.RegularFile f
              ? new TreeEntry.RegularFile(h.path(), f.meta(), f.content())
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
    @Nullable Mtime touched = null;
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
        if (touched == null || mtime(after).compareTo(touched) > 0) {
          touched = mtime(after);
          touchers.put(path, branch.getKey());
        }
      }
    }
    if (names.isEmpty()) {
      TreeEntry same = Objects.requireNonNull(before);
      outcomes.put(path, new Outcome(touched == null ? same : withMtime(same, touched), null));
      return;
    }
    changers.put(path, names);
    if (!agree) {
      clashes.put(path, new Clash(path, List.copyOf(names)));
    } else if (!changes.isEmpty()) {
      Mtime latest =
          changes.stream().map(c -> mtime(c.entry)).reduce(MergePlan::latest).orElseThrow();
      outcomes.put(
          path, new Outcome(withMtime(changes.getFirst().entry, latest), changes.getFirst().from));
    }
  }

  /**
   * Separates names of one file of the base that get different times: a branch has replaced some of
   * them by files with the same content. Names with a new time become files of their own.
   */
  private void separate(List<TreePath> names) {
    List<TreePath> kept =
        names.stream()
            .filter(name -> outcomes.get(name) instanceof Outcome outcome && outcome.from == null)
            .toList();
    if (kept.stream().map(name -> mtime(kept(name).entry)).distinct().count() <= 1) {
      return;
    }
    for (TreePath name : kept) {
      String toucher = touchers.get(name);
      if (toucher != null) {
        outcomes.put(name, new Outcome(kept(name).entry, toucher));
      }
    }
  }

  private Outcome kept(TreePath name) {
    return Objects.requireNonNull(outcomes.get(name));
  }

  /** Returns for each path with further names of its file all of them, itself included. */
  static Map<TreePath, List<TreePath>> namesByFile(TreeListing listing) {
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

  /** Detects that one branch added an entry to a directory that another removed or replaced. */
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

  /** Compares entries except for path and time; null means absent. */
  static boolean sameContent(@Nullable TreeEntry a, @Nullable TreeEntry b) {
    if (a == null || b == null) {
      return a == b;
    }
    return switch (a) {
      case TreeEntry.Directory d ->
          b instanceof TreeEntry.Directory e && timeless(d.meta()).equals(timeless(e.meta()));
      case TreeEntry.RegularFile f ->
          b instanceof TreeEntry.RegularFile g
              && timeless(f.meta()).equals(timeless(g.meta()))
              && f.content().equals(g.content());
      case TreeEntry.Symlink l -> b instanceof TreeEntry.Symlink m && l.target().equals(m.target());
      case TreeEntry.HardLink h -> throw unresolved(h);
    };
  }

  private static Mtime latest(Mtime a, Mtime b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  static Mtime mtime(TreeEntry entry) {
    return switch (entry) {
      case TreeEntry.Directory d -> new Mtime(d.meta().seconds(), d.meta().nanos());
      case TreeEntry.RegularFile f -> new Mtime(f.meta().seconds(), f.meta().nanos());
      case TreeEntry.Symlink l -> l.mtime();
      case TreeEntry.HardLink h -> throw unresolved(h);
    };
  }

  private static TreeEntry withMtime(TreeEntry entry, Mtime mtime) {
    return switch (entry) {
      case TreeEntry.Directory d -> new TreeEntry.Directory(d.path(), timed(d.meta(), mtime));
      case TreeEntry.RegularFile f ->
          new TreeEntry.RegularFile(f.path(), timed(f.meta(), mtime), f.content());
      case TreeEntry.Symlink l -> new TreeEntry.Symlink(l.path(), mtime, l.target());
      case TreeEntry.HardLink h -> throw unresolved(h);
    };
  }

  private static FileMetadata timeless(FileMetadata meta) {
    return timed(meta, new Mtime(0, 0));
  }

  private static FileMetadata timed(FileMetadata meta, Mtime mtime) {
    return new FileMetadata(
        meta.mode(), mtime.seconds(), mtime.nanos(), meta.owner(), meta.xattrs());
  }

  private static IllegalStateException unresolved(TreeEntry.HardLink link) {
    return new IllegalStateException(
        "hard link " + link.path() + " comes before its file " + link.first());
  }
}
