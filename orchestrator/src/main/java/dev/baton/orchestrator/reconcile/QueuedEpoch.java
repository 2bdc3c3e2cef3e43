/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.protocol.workflow.IsolationMode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An epoch that begins when the run gets a place under its workflow's limit. Until then the run's
 * row only changes to queued, and the trace does not change.
 *
 * @param number of the epoch
 * @param effects to perform; its events get the run's next numbers when the epoch begins
 * @param definition with which the run continues; null for its current one
 */
public record QueuedEpoch(
    int number, List<OutboxEffect> effects, @Nullable NewDefinition definition) {
  /** A version other than the run's current one. */
  public record NewDefinition(String hash, IsolationMode isolation) {}

  public QueuedEpoch {
    effects = List.copyOf(effects);
  }

  /** The epoch that these effects launch. */
  static QueuedEpoch of(List<OutboxEffect> effects, @Nullable NewDefinition definition) {
    return new QueuedEpoch(OutboxEffect.epochOf(effects), effects, definition);
  }

  /** The first epoch of a new run. */
  static QueuedEpoch first() {
    return new QueuedEpoch(1, OutboxEffect.firstEpoch(0, Instant.EPOCH), null);
  }
}
