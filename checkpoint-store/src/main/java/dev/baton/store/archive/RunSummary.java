/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.store.events.StoredEvent;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Summarizes a run from its events. Its size does not depend on their number. Not thread-safe. */
final class RunSummary {
  private RunHead head = RunHead.NONE;
  private TraceEvent.@Nullable RunCreated created;
  private @Nullable Output output;
  private @Nullable Instant endedAt;
  private long events;
  private @Nullable EventId last;
  private long position;

  void take(StoredEvent event) {
    events++;
    last = event.id();
    position = event.position();
    event.typed().ifPresent(this::take);
  }

  private void take(TraceRecord record) {
    boolean ended = head.isEnded();
    RunHead.Step step = head.apply(record);
    head = step.head();
    if (step.verdict() != RunHead.Verdict.ACCEPTED) {
      return;
    }
    if (record.event() instanceof TraceEvent.RunCreated born) {
      created = born;
    } else if (record.event() instanceof TraceEvent.RunCompleted done) {
      output = done.output();
    }
    if (head.isEnded() && !ended) {
      endedAt = record.time();
    } else if (!head.isEnded()) {
      endedAt = null;
    }
  }

  RunHead head() {
    return head;
  }

  /** Empty if the log has lost the run's {@code run_created}. */
  Optional<TraceEvent.RunCreated> created() {
    return Optional.ofNullable(created);
  }

  @Nullable JsonNode input() {
    return created == null ? null : inline(created.input());
  }

  /** The inline output; null if there is none or it is stored by reference. */
  @Nullable JsonNode output() {
    return inline(output);
  }

  private static @Nullable JsonNode inline(@Nullable Output of) {
    return switch (of) {
      case null -> null;
      case Output.Inline(JsonNode value) -> value;
      case Output.Ref ref -> null;
    };
  }

  @Nullable Instant endedAt() {
    return endedAt;
  }

  long events() {
    return events;
  }

  Optional<EventId> last() {
    return Optional.ofNullable(last);
  }

  /** The position of the last event. */
  long position() {
    return position;
  }
}
