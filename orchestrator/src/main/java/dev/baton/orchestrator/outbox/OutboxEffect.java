/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.launch.RunnerStopper;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Instant;
import java.util.List;

/**
 * A side effect that a committed transaction still has to perform. Idempotent: it may be repeated,
 * for example after a crash.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = OutboxEffect.Publish.class, name = "publish"),
  @JsonSubTypes.Type(value = OutboxEffect.Kill.class, name = "kill"),
  @JsonSubTypes.Type(value = OutboxEffect.Launch.class, name = "launch"),
  @JsonSubTypes.Type(value = OutboxEffect.Deliver.class, name = "deliver"),
  @JsonSubTypes.Type(value = OutboxEffect.Pause.class, name = "pause"),
  @JsonSubTypes.Type(value = OutboxEffect.Stop.class, name = "stop"),
  @JsonSubTypes.Type(value = OutboxEffect.AwaitEnd.class, name = "await_end")
})
public sealed interface OutboxEffect {

  /**
   * Appends a control event to the trace. The fold drops a duplicate.
   *
   * @param type the event's {@code ce_type}
   * @param seq in the control lane
   */
  record Publish(String type, JsonNode data, long seq, Instant time) implements OutboxEffect {
    static Publish of(TraceEvent.Control event, long seq, Instant time) {
      return new Publish(EventTypeRegistry.of(event), Json.mapper().valueToTree(event), seq, time);
    }

    /** The same event with its number, when that is assigned only now. */
    public Publish at(long number, Instant now) {
      return new Publish(type, data, number, now);
    }

    TraceRecord record(String run, URI source) {
      Class<? extends TraceEvent> event =
          EventTypeRegistry.recordOf(type)
              .orElseThrow(() -> new IllegalStateException("unknown event type " + type));
      try {
        return new TraceRecord(
            new EventId(run, Lane.CONTROL, seq),
            source,
            time,
            Json.mapper().treeToValue(data, event));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("outbox row of run " + run + " is broken", e);
      }
    }
  }

  /** Kills the processes of older epochs than this on the host. */
  record Kill(int below) implements OutboxEffect {}

  /** Assigns a runner to this epoch. No effect once the epoch has passed. */
  record Launch(int epoch) implements OutboxEffect {}

  /**
   * Sends an approval's answer to the run's runner; an unattached runner receives it when it
   * attaches.
   */
  record Deliver(String approval) implements OutboxEffect {}

  /**
   * Requests a pause from the run's runner; an unattached runner receives it when it attaches.
   *
   * @param epoch whose runner is to pause; a later epoch is not paused by a late delivery. 0 in a
   *     row of an earlier version: any
   * @param now without waiting for the end of the step in progress
   */
  record Pause(int epoch, boolean now) implements OutboxEffect {}

  /** Stops the runner of a cancelled run and kills its remaining processes. */
  record Stop(int epoch, String reason) implements OutboxEffect {
    /** The effects that remain after the runner was requested to stop. */
    List<OutboxEffect> afterRequest(Instant killAt) {
      return List.of(new AwaitEnd(epoch, killAt), new Kill(epoch + 1));
    }
  }

  /**
   * Waits until the runner of this epoch has stopped.
   *
   * @param killAt on the clock of the replica that checks; a clock difference can only shorten the
   *     wait
   */
  record AwaitEnd(int epoch, Instant killAt) implements OutboxEffect {
    boolean isOver(Instant now) {
      return now.isAfter(killAt) || now.isBefore(killAt.minus(RunnerStopper.GRACE));
    }
  }

  /**
   * The effects of a new run: the first fence and a runner.
   *
   * @param seq of the fence in the control lane
   */
  static List<OutboxEffect> firstEpoch(long seq, Instant now) {
    return List.of(
        publish(new TraceEvent.RunnerAssigned(1, null, "start"), seq, now), new Launch(1));
  }

  /** The epoch that these effects launch. */
  static int epochOf(List<OutboxEffect> effects) {
    for (OutboxEffect effect : effects) {
      if (effect instanceof Launch(int epoch)) {
        return epoch;
      }
    }
    throw new IllegalStateException("outbox effects without a launch: " + effects);
  }

  /**
   * The effects of a new epoch: the fence, the kill of older epochs, and a runner.
   *
   * @param seq of the fence in the control lane
   */
  static List<OutboxEffect> newEpoch(TraceEvent.RunnerAssigned fence, long seq, Instant now) {
    return List.of(publish(fence, seq, now), new Kill(fence.epoch()), new Launch(fence.epoch()));
  }

  /**
   * The effects of a run that lost its runner and is to be paused: the fence, without a runner.
   *
   * @param seq of the fence in the control lane; the pause has the next number
   */
  static List<OutboxEffect> pausedEpoch(TraceEvent.RunnerAssigned fence, long seq, Instant now) {
    return List.of(
        publish(fence, seq, now),
        publish(new TraceEvent.PauseRequested(null, false, true, null), seq + 1, now),
        new Kill(fence.epoch()));
  }

  static OutboxEffect publish(TraceEvent.Control event, long seq, Instant time) {
    return Publish.of(event, seq, time);
  }
}
