/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.forks;

import dev.baton.protocol.trace.Cut;
import org.jspecify.annotations.Nullable;

/**
 * The point of the parent's log at which a fork begins.
 *
 * @param position of the parent's last event that the fork includes; 0 for the parent's own
 *     beginning; {@link dev.baton.store.snapshot.RunFoldService#FILES_ONLY} for files only
 * @param step the step after or within which the fork begins; null for the whole run
 * @param inside the cut, if it is not between two steps
 * @param single whether no branch is open at this point and no later step may continue the
 *     conversation of an agent, so that {@code newest} is sufficient
 * @param newest the main line's newest cut at this point; null if it has none or if it is not known
 */
record ForkPoint(
    String parent,
    long position,
    @Nullable String step,
    @Nullable Cut inside,
    boolean single,
    @Nullable Cut newest) {}
