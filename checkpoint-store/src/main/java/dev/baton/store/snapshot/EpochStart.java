/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.events.StoredEvent;
import java.util.List;
import java.util.OptionalLong;

/**
 * The start of an epoch: from this position on, only its events are valid.
 *
 * @param position of {@code runner_assigned}, or of the {@code run_created} of an external run
 */
record EpochStart(int epoch, long position) {

  /** Returns the epochs of the control lane's events, in log order. */
  static List<EpochStart> in(List<StoredEvent> control) {
    return control.stream()
        .flatMap(
            event ->
                event.typed().stream()
                    .flatMap(
                        record ->
                            epochOf(record.event()).stream()
                                .mapToObj(epoch -> new EpochStart((int) epoch, event.position()))))
        .toList();
  }

  private static OptionalLong epochOf(TraceEvent event) {
    return switch (event) {
      case TraceEvent.RunnerAssigned assigned -> OptionalLong.of(assigned.epoch());
      case TraceEvent.RunCreated created when created.isExternal() -> OptionalLong.of(1);
      case TraceEvent.Control other -> OptionalLong.empty();
      case TraceEvent.Runner other -> OptionalLong.empty();
    };
  }
}
