/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import org.jspecify.annotations.Nullable;

/**
 * What a runner occupies: room in its place until it has ended, and one of the simultaneous starts
 * until it has attached.
 *
 * @param start null where starts are not limited
 */
record LaunchPermit(LauncherCapacityLimiter.Slot slot, LaunchLimiter.@Nullable Start start) {
  RunnerPlace place() {
    return slot.place();
  }

  /** The runner no longer starts. Idempotent. */
  void started() {
    if (start != null) {
      start.end();
    }
  }

  /** The launcher has started the runner. Idempotent. */
  void accepted() {
    slot.accepted();
  }

  /** The launcher has started nothing, for this reason. Idempotent. */
  void refused(LaunchRefusal refusal) {
    started();
    slot.refused(refusal);
  }

  /** The runner has ended, or was not started. Idempotent. */
  void ended() {
    started();
    slot.end();
  }
}
