/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.history;

import dev.baton.milestone.sidecar.MilestoneSidecar;
import org.jspecify.annotations.Nullable;

/** Where a milestone's commit is, relative to the checked-out commit. */
public sealed interface MilestoneLocation {
  MilestoneSidecar sidecar();

  /** One word for programs. */
  String word();

  /** One line for people. */
  String describe();

  /** The commit in the history that contains the milestone; null where none does. */
  default @Nullable String commit() {
    return null;
  }

  /** How a commit was recognized as the milestone. */
  enum By {
    MESSAGE("its message"),
    PATCH("what it changes"),
    TREE("its files"),
    LATER("a later milestone of the run");

    private final String words;

    By(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }
  }

  /** The original commit is in the history. */
  record Ok(MilestoneSidecar sidecar) implements MilestoneLocation {
    @Override
    public String word() {
      return "ok";
    }

    @Override
    public String describe() {
      return "in the history";
    }

    @Override
    public String commit() {
      return sidecar.sha();
    }
  }

  /** Another commit replaced it: by rebase, cherry-pick or amend. */
  record Rewritten(MilestoneSidecar sidecar, String commit, By by) implements MilestoneLocation {
    @Override
    public String word() {
      return "rewritten";
    }

    @Override
    public String describe() {
      return "rewritten to " + commit + ", known by " + by.words();
    }
  }

  /** It was squashed with others into one commit. */
  record Squashed(MilestoneSidecar sidecar, String commit, By by) implements MilestoneLocation {
    @Override
    public String word() {
      return "squashed";
    }

    @Override
    public String describe() {
      return "squashed into " + commit + ", known by " + by.words();
    }
  }

  /** The commit exists in the repository, but is not an ancestor of the checked-out commit. */
  record Unreachable(MilestoneSidecar sidecar, String reason) implements MilestoneLocation {
    @Override
    public String word() {
      return "unreachable";
    }

    @Override
    public String describe() {
      return reason;
    }
  }

  /** Neither the commit nor an equivalent of it is in the repository. */
  record Missing(MilestoneSidecar sidecar, String reason) implements MilestoneLocation {
    @Override
    public String word() {
      return "missing";
    }

    @Override
    public String describe() {
      return reason;
    }
  }
}
