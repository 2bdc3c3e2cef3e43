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
 * Something the outside is still owed. Every effect may be done again, after a crash in the middle
 * for instance, and is then the same as done once.
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
   * Append a control event to the trace. Sent twice it is a duplicate, which the fold drops.
   *
   * @param type as in {@code ce_type}
   * @param seq in the control lane
   */
  record Publish(String type, JsonNode data, long seq, Instant time) implements OutboxEffect {
    static Publish of(TraceEvent.Control event, long seq, Instant time) {
      return new Publish(EventTypeRegistry.of(event), Json.mapper().valueToTree(event), seq, time);
    }

    /** The same event with its number, where that is known only now. */
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

  /** Kill what runs for epochs below this one, where it can be reached. */
  record Kill(int below) implements OutboxEffect {}

  /** Give the run a runner for this epoch. Of no meaning once the epoch has passed. */
  record Launch(int epoch) implements OutboxEffect {}

  /** Tell the run's runner an approval's answer; one that is not attached gets it when it is. */
  record Deliver(String approval) implements OutboxEffect {}

  /**
   * Tell the run's runner to pause; one that is not attached learns it when it is.
   *
   * @param now without waiting for the end of the step in progress
   */
  record Pause(boolean now) implements OutboxEffect {}

  /** The run has been ended from here: its runner stops, and what is left is killed. */
  record Stop(int epoch, String reason) implements OutboxEffect {
    /** What is still to do once the runner has been told. */
    List<OutboxEffect> told(Instant killAt) {
      return List.of(new AwaitEnd(epoch, killAt), new Kill(epoch + 1));
    }
  }

  /**
   * Wait until the runner of this epoch has ended its work, as it was told to.
   *
   * @param killAt by the clock of whoever looks: wrong clocks make the wait shorter, never longer
   */
  record AwaitEnd(int epoch, Instant killAt) implements OutboxEffect {
    boolean isOver(Instant now) {
      return now.isAfter(killAt) || now.isBefore(killAt.minus(RunnerStopper.GRACE));
    }
  }

  /**
   * What the start of a new run owes: the first fence, a runner.
   *
   * @param seq of the fence in the control lane
   */
  static List<OutboxEffect> firstEpoch(long seq) {
    return List.of(
        publish(new TraceEvent.RunnerAssigned(1, null, "start"), seq, Instant.now()),
        new Launch(1));
  }

  /** The epoch that these effects launch. */
  static int epochOf(List<OutboxEffect> effects) {
    for (OutboxEffect effect : effects) {
      if (effect instanceof Launch(int epoch)) {
        return epoch;
      }
    }
    throw new IllegalStateException("these effects launch nothing: " + effects);
  }

  /**
   * What handing a run to a new epoch owes: the fence, the end of whatever is left of older ones, a
   * runner.
   *
   * @param reason as in {@code runner_assigned}
   * @param seq of the fence in the control lane
   */
  static List<OutboxEffect> newEpoch(int epoch, String reason, long seq) {
    return List.of(
        publish(new TraceEvent.RunnerAssigned(epoch, null, reason), seq, Instant.now()),
        new Kill(epoch),
        new Launch(epoch));
  }

  /**
   * What a run owes that is to be paused and has lost its runner: the fence, and nobody behind it.
   *
   * @param seq of the fence in the control lane; the pause has the next
   */
  static List<OutboxEffect> pausedEpoch(int epoch, String reason, long seq) {
    Instant now = Instant.now();
    return List.of(
        publish(new TraceEvent.RunnerAssigned(epoch, null, reason), seq, now),
        publish(new TraceEvent.PauseRequested(null, false, true), seq + 1, now),
        new Kill(epoch));
  }

  static OutboxEffect publish(TraceEvent.Control event, long seq, Instant time) {
    return Publish.of(event, seq, time);
  }
}
