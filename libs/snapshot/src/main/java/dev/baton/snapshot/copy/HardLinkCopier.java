/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.copy;

import dev.baton.snapshot.files.FileCopier;
import dev.baton.snapshot.files.TreeNavigator;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Creates hard links after all files exist; then sets modes and times of the directories that
 * waited for the links. Thread-safe except {@link #make}.
 */
final class HardLinkCopier {
  private record Link(CopyTask in, String name, String first) {}

  private final Path from;
  private final OpenDirectory into;
  private final List<Link> links = new ArrayList<>();
  private final List<CopyTask> awaiting = new ArrayList<>();

  /** Maps a first name that could not be copied to the name that was copied instead. */
  private final Map<String, String> instead = new HashMap<>();

  HardLinkCopier(Path from, OpenDirectory into) {
    this.from = from;
    this.into = into;
  }

  synchronized void add(CopyTask in, String name, String first) {
    links.add(new Link(in, name, first));
  }

  /** Registers a directory after all directories in it. */
  synchronized void await(CopyTask directory) {
    awaiting.add(directory);
  }

  /** Call it after all threads have ended. */
  synchronized void make() throws IOException {
    if (links.isEmpty() && awaiting.isEmpty()) {
      return;
    }
    FileCopier files = new FileCopier();
    try (TreeNavigator there = TreeNavigator.of(from);
        TreeNavigator here = TreeNavigator.under(into);
        TreeNavigator targets = TreeNavigator.under(into)) {
      for (Link link : links) {
        String path = link.in.path();
        if (!link(link, here.in(path), targets)
            && link.in.copy(files, there.in(path), here.in(path), link.name)) {
          instead.put(link.first, link.in.path(link.name));
        }
      }
      for (CopyTask each : awaiting) {
        each.finish(here.in(each.path()));
      }
    }
  }

  /** Returns false if the first name was not copied: it was unreadable, or had vanished. */
  private boolean link(Link link, OpenDirectory in, TreeNavigator targets) throws IOException {
    String first = instead.getOrDefault(link.first, link.first);
    int slash = first.lastIndexOf('/');
    try {
      OpenDirectory of = targets.in(slash < 0 ? "" : first.substring(0, slash));
      in.link(of, first.substring(slash + 1), link.name);
      return true;
    } catch (PosixException e) {
      if (!e.isAbsent()) {
        throw e;
      }
      return false;
    }
  }
}
