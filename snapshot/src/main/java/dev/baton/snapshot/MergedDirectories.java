/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.files.Attributes;
import dev.baton.snapshot.files.OpenTree;
import dev.baton.snapshot.format.Meta;
import dev.baton.snapshot.format.Xattr;
import dev.baton.snapshot.posix.Directory;
import dev.baton.snapshot.scan.FileAttributes;
import java.io.IOException;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * The directories that a merge works in: each is opened up for it, whatever its mode, and gets its
 * own attributes at the end. Those that nothing happens in are left alone. One use, one thread.
 */
final class MergedDirectories {
  private final MergePlan plan;
  private final OpenTree target;
  private final BiConsumer<TreePath, String> degraded;
  private final TreeSet<TreePath> touched = new TreeSet<>();

  /**
   * @param degraded told what could not be set
   */
  MergedDirectories(MergePlan plan, OpenTree target, BiConsumer<TreePath, String> degraded) {
    this.plan = plan;
    this.target = target;
    this.degraded = degraded;
  }

  /**
   * A directory that is there, to be changed: what is made in it inherits nothing from it. It is
   * open until the next call.
   */
  Directory opened(TreePath path) throws IOException {
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
      // Also where it cannot be opened yet.
      target.in(path.parent().raw()).chmod(path.name(), 0700);
    }
    Directory open = target.in(path.raw());
    open.chmod(0700);
    Attributes.bequeathNothing(open);
  }

  /** All rights for its owner, and nothing to be inherited. */
  private static boolean isPlain(Meta meta) {
    return (meta.mode() & 02700) == 0700
        && meta.xattrs().stream()
            .map(Xattr::name)
            .noneMatch(FileAttributes.DEFAULT_ACCESS_LIST::equals);
  }

  /** Gives all of them what they shall have; those that were removed are passed over. */
  void settle() throws IOException {
    for (TreePath path : touched.descendingSet()) {
      MergePlan.Outcome outcome = plan.outcomes().get(path);
      if (outcome != null && outcome.entry() instanceof TreeEntry.Directory d) {
        Attributes.replaceAll(target.in(path.raw()), d.meta(), why -> degraded.accept(path, why));
      }
    }
  }
}
