/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import org.jspecify.annotations.Nullable;

/**
 * A runner as its launcher sees it.
 *
 * @param runner its name
 * @param handle identifies it in its place and no other runner ever, in the launcher's own form; at
 *     most 200 characters; null while the place has not given it one
 * @param reason why it is in this phase, for people; null when there is none
 * @param pid its process on the host of the orchestrator; null when it has none there
 */
public record LaunchedRunner(
    String runner,
    @Nullable String handle,
    RunnerPhase phase,
    @Nullable String reason,
    @Nullable Long pid) {
  /** A runner of which nothing is found. */
  public static LaunchedRunner gone(String runner) {
    return new LaunchedRunner(runner, null, RunnerPhase.GONE, null, null);
  }
}
