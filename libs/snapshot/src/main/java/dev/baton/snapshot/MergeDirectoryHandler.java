/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.files.FileAttributeWriter;
import dev.baton.snapshot.files.TreeNavigator;
import dev.baton.snapshot.format.FileMetadata;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.scan.FileAttributeReader;
import java.io.IOException;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * Opens the directories that a merge changes: makes each one writable regardless of its mode, and
 * sets its final attributes at the end. Other directories are not touched. Single use, one thread.
 */
final class MergeDirectoryHandler {
  private final MergePlan plan;
  private final TreeNavigator target;
  private final BiConsumer<TreePath, String> degraded;
  private final TreeSet<TreePath> touched = new TreeSet<>();

  /**
   * @param degraded receives each attribute that could not be set
   */
  MergeDirectoryHandler(
      MergePlan plan, TreeNavigator target, BiConsumer<TreePath, String> degraded) {
    this.plan = plan;
    this.target = target;
    this.degraded = degraded;
  }

  /**
   * Opens an existing directory for changes: files created in it inherit neither group nor access
   * list from it. It stays open until the next call.
   */
  OpenDirectory opened(TreePath path) throws IOException {
    if (touched.add(path)) {
      if (!path.isRoot()) {
        opened(path.parent());
      }
      if (plan.base().get(path) instanceof TreeEntry.Directory before && !isPlain(before.meta())) {
        unlock(path);
      }
    }
    return target.in(path.raw());
  }

  private void unlock(TreePath path) throws IOException {
    if (!path.isRoot()) {
      // From the parent: the directory itself may not be accessible yet.
      target.in(path.parent().raw()).chmod(path.name(), 0700);
    }
    OpenDirectory open = target.in(path.raw());
    open.chmod(0700);
    FileAttributeWriter.bequeathNothing(open);
  }

  /** Returns whether the owner has all rights and new files inherit nothing. */
  private static boolean isPlain(FileMetadata meta) {
    return (meta.mode() & 02700) == 0700
        && meta.xattrs().stream()
            .map(Xattr::name)
            .noneMatch(FileAttributeReader.DEFAULT_ACCESS_LIST::equals);
  }

  /** Sets the final attributes of every opened directory; skips those that were removed. */
  void settle() throws IOException {
    for (TreePath path : touched.descendingSet()) {
      MergePlan.Outcome outcome = plan.outcomes().get(path);
      if (outcome != null && outcome.entry() instanceof TreeEntry.Directory d) {
        FileAttributeWriter.replaceAll(
            target.in(path.raw()), d.meta(), why -> degraded.accept(path, why));
      }
    }
  }
}
