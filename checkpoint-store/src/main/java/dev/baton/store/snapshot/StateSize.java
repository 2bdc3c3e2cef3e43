/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.trace.TraceEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * How large a run's state is, reckoned by the events that it consists of: what a later event
 * replaces no longer counts. Not thread-safe.
 */
final class StateSize {
  private final Map<String, Long> parts = new HashMap<>();
  private long bytes;

  /**
   * @param size of the event's data, in bytes of JSON
   */
  void add(TraceEvent event, long size) {
    switch (event) {
      case TraceEvent.RunCreated birth -> put("created", size);
      case TraceEvent.ApprovalAnswered answered -> put("answer " + answered.approval(), size);
      case TraceEvent.CheckpointWaiting asked -> put("approval " + asked.approval(), size);
      case TraceEvent.PlanUpdated plan -> put("plan " + plan.step(), size);
      case TraceEvent.StepCompleted done -> {
        put("step " + done.step(), size);
        // Kept twice, beside what else there is: as the branch's newest.
        put("last " + StepPath.branchOf(done.step()), size);
        drop("error " + done.step());
      }
      // Beside the output of an earlier visit, which stays.
      case TraceEvent.StepFailed failed -> put("error " + failed.step(), size);
      case TraceEvent.RunCompleted done -> put("output", size);
      // Small, or replaces nothing of what a step has left.
      case TraceEvent.Runner other -> {}
      case TraceEvent.Control other -> {}
    }
  }

  /** What a fork begins with stays, as far as is known, whatever comes. */
  void begin(long size) {
    bytes += size;
  }

  private void put(String part, long size) {
    Long before = parts.put(part, size);
    bytes += size - (before == null ? 0 : before);
  }

  private void drop(String part) {
    Long before = parts.remove(part);
    bytes -= before == null ? 0 : before;
  }

  long bytes() {
    return bytes;
  }
}
