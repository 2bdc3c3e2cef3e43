/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * The cut that a fork begins with.
 *
 * @param run the parent
 * @param position of the parent's last event that is part of the fork; 0: it begins at the parent's
 *     own beginning
 * @param step the parent's step after or within which the cut was taken; null for a cut of the
 *     whole run
 * @param checkpoint the parent's; null where the cut has none
 * @param agent how the agent of the step continues; null unless it differs from the parent's
 */
public record ForkedFrom(
    String run,
    long position,
    @Nullable String step,
    @Nullable String checkpoint,
    @Nullable AgentChange agent) {
  public ForkedFrom(String run, long position, @Nullable String step, @Nullable String checkpoint) {
    this(run, position, step, checkpoint, null);
  }

  /** Returns the cut alone. */
  public ForkedFrom withoutAgent() {
    return new ForkedFrom(run, position, step, checkpoint);
  }
}
