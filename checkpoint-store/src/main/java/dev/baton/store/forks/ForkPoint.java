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
 * Where in its parent a fork begins.
 *
 * @param position of the parent's last event that is a part of it; 0: where the parent itself
 *     begins; {@link dev.baton.store.snapshot.RunFoldService#FILES_ONLY}: with files alone
 * @param step after or within which that is; null: of the whole run
 * @param inside the cut, where it is none between two steps
 * @param single no branch is open there, so that {@code newest} is all that it needs
 * @param newest the main line's newest cut there; null where it has none, and where that is not
 *     known
 */
record ForkPoint(
    String parent,
    long position,
    @Nullable String step,
    @Nullable Cut inside,
    boolean single,
    @Nullable Cut newest) {}
