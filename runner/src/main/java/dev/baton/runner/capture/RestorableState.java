/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.state.RunState;
import org.jspecify.annotations.Nullable;

/**
 * An earlier state of a run whose files can be restored.
 *
 * @param state as {@code run_degraded} restores it
 * @param after the id of the event that led to it; null for the run's initial state
 */
public record RestorableState(RunState state, @Nullable String after) {}
