/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * A commit of the workspace whose verification passed.
 *
 * @param index number of the milestone in its run, from 0
 * @param tier {@code tier0 tier1 tier2}
 * @param commit in the workspace's repository
 * @param sidecarWritten whether {@code .baton/checkpoints/<commit>.json} was written
 * @param drift where the run's state and the repository disagreed about the number, how, for a
 *     person; null where they agreed
 */
public record Milestone(
    int index,
    String title,
    String tier,
    String commit,
    boolean sidecarWritten,
    @Nullable String drift) {
  public Milestone(int index, String title, String tier, String commit, boolean sidecarWritten) {
    this(index, title, tier, commit, sidecarWritten, null);
  }
}
