/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.format.FileContent;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.scan.DirState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Builds a flat listing from a tree that was read. Single use, one thread. */
final class TreeListingBuilder {
  private final List<TreeEntry> entries = new ArrayList<>();

  // Keyed by the name that the walk visited first: the name that is first in the listing, and the
  // file.
  private final Map<TreePath, TreePath> firsts = new HashMap<>();
  private final Map<TreePath, TreeEntry.RegularFile> files = new HashMap<>();

  private final Deque<Place> pending = new ArrayDeque<>();

  private record Place(TreePath path, DirState state) {}

  private TreeListingBuilder() {}

  /**
   * @param root of a tree whose files have all been read
   */
  static TreeListing of(DirState root) {
    TreeListingBuilder tree = new TreeListingBuilder();
    tree.pending.push(new Place(TreePath.ROOT, root));
    while (!tree.pending.isEmpty()) {
      Place place = tree.pending.pop();
      tree.add(place.path, place.state);
    }
    tree.entries.replaceAll(tree::renamed);
    tree.entries.sort(Comparator.comparing(TreeEntry::path));
    return new TreeListing(tree.entries);
  }

  /**
   * Replaces the first name of a hard-linked file if the listing has another order than the walk. A
   * listing sorts whole paths, a walk sorts names: {@code a.b} is before {@code a/b} in a listing
   * and after it in a walk.
   */
  private TreeEntry renamed(TreeEntry entry) {
    return switch (entry) {
      case TreeEntry.RegularFile f -> {
        TreePath first = firsts.get(f.path());
        yield first == null || first.equals(f.path()) ? f : new TreeEntry.HardLink(f.path(), first);
      }
      case TreeEntry.HardLink h -> {
        TreePath first = Objects.requireNonNull(firsts.get(h.first()));
        yield first.equals(h.path())
            ? at(first, Objects.requireNonNull(files.get(h.first())))
            : new TreeEntry.HardLink(h.path(), first);
      }
      case TreeEntry.Directory d -> d;
      case TreeEntry.Symlink l -> l;
    };
  }

  private void add(TreePath path, DirState state) {
    entries.add(new TreeEntry.Directory(path, meta(state.meta())));
    for (int i = 0; i < state.size(); i++) {
      if (!state.isPresent(i)) {
        continue;
      }
      TreePath child = path.child(state.name(i));
      if (state.kind(i) == FileKind.DIRECTORY) {
        pending.push(new Place(child, state.child(i)));
      } else if (state.kind(i) == FileKind.SYMLINK) {
        entries.add(new TreeEntry.Symlink(child, time(state.meta(i)), state.target(i)));
      } else {
        entries.add(file(child, state, i));
      }
    }
  }

  private TreeEntry file(TreePath path, DirState state, int i) {
    String first = state.linkTo(i);
    if (first != null) {
      TreePath walked = new TreePath(first);
      firsts.merge(walked, path, (a, b) -> a.compareTo(b) <= 0 ? a : b);
      firsts.merge(walked, walked, (a, b) -> a.compareTo(b) <= 0 ? a : b);
      return new TreeEntry.HardLink(path, walked);
    }
    FileContent content = state.content(i);
    if (content == null) {
      throw new IllegalStateException("'%s' was not read".formatted(path));
    }
    TreeEntry.RegularFile file = new TreeEntry.RegularFile(path, meta(state.meta(i)), content);
    if (state.links(i) > 1) {
      files.put(path, file);
    }
    return file;
  }

  private static TreeEntry.RegularFile at(TreePath path, TreeEntry.RegularFile file) {
    return new TreeEntry.RegularFile(path, file.meta(), file.content());
  }

  /**
   * Removes owner and setuid/setgid bits unless this process is the superuser. Another user cannot
   * set them, so every copy would differ from its original.
   */
  private static FileMetadata meta(FileMetadata meta) {
    return meta.owner() == null || ProcessCredentials.isSuperuser()
        ? meta
        : new FileMetadata(meta.mode() & 01777, meta.seconds(), meta.nanos(), null, meta.xattrs());
  }

  private static Mtime time(FileMetadata meta) {
    return new Mtime(meta.seconds(), meta.nanos());
  }
}
