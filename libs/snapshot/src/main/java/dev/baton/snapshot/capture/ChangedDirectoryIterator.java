/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.scan.DirState;
import org.jspecify.annotations.Nullable;

/**
 * Iterates the subdirectories of a directory, without those that are unchanged since an earlier
 * state: a scan reuses the state objects of unchanged directories. Single use, one thread.
 */
final class ChangedDirectoryIterator {
  private final DirState state;
  private final @Nullable DirState before;
  private int at;
  private int atBefore;

  /**
   * A directory that has changed, or has a change below it.
   *
   * @param before its earlier state; null if it is new
   */
  record Changed(DirState state, String name, @Nullable DirState before) {}

  /**
   * @param before the earlier state of {@code state}; null to iterate all its subdirectories
   */
  ChangedDirectoryIterator(DirState state, @Nullable DirState before) {
    this.state = state;
    this.before = before;
  }

  /** Returns the next one, by name; null at the end. */
  @Nullable Changed next() {
    while (at < state.size()) {
      int child = at++;
      if (state.kind(child) != FileKind.DIRECTORY || !state.isPresent(child)) {
        continue;
      }
      String name = state.name(child);
      DirState was = before == null ? null : find(before, name);
      if (was != state.child(child)) {
        return new Changed(state.child(child), name, was);
      }
    }
    return null;
  }

  /** Finds the earlier state; both iterate names in ascending order. */
  private @Nullable DirState find(DirState in, String name) {
    while (atBefore < in.size() && in.name(atBefore).compareTo(name) < 0) {
      atBefore++;
    }
    boolean found =
        atBefore < in.size()
            && in.name(atBefore).equals(name)
            && in.kind(atBefore) == FileKind.DIRECTORY
            && in.isPresent(atBefore);
    return found ? in.child(atBefore) : null;
  }
}
