/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Whether an epoch may act for its run.
 *
 * @param epoch the current one
 * @param current whether the requested epoch, or the current one if none was requested, may act
 * @param reason why it may not; null when it may
 */
@Schema(name = "RunEpoch")
public record EpochView(String run, int epoch, boolean current, @Nullable String reason) {

  static EpochView of(
      String run,
      int epoch,
      boolean ended,
      DesiredState desired,
      String status,
      @Nullable Integer asked) {
    String reason = null;
    if (asked != null && asked != epoch) {
      reason = "epoch %d is fenced: epoch %d holds the run".formatted(asked, epoch);
    } else if (ended) {
      reason = "the run has ended: it is " + status;
    } else if (desired != DesiredState.RUNNING) {
      reason = "the run is " + desired.word();
    }
    return new EpochView(run, epoch, reason == null, reason);
  }
}
