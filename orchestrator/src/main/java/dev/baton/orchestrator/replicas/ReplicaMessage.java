/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Map;

/**
 * A message to all other replicas. Messages are not stored: a replica that was not listening reads
 * the database when it listens again. So the state behind a message is in the database before it is
 * sent, or the sender repeats a message without an answer. Handling a message is idempotent.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "say")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ReplicaMessage.Deliver.class, name = "deliver"),
  @JsonSubTypes.Type(value = ReplicaMessage.Pause.class, name = "pause"),
  @JsonSubTypes.Type(value = ReplicaMessage.Cancel.class, name = "cancel"),
  @JsonSubTypes.Type(value = ReplicaMessage.Fence.class, name = "fence"),
  @JsonSubTypes.Type(value = ReplicaMessage.Checkpoint.class, name = "checkpoint"),
  @JsonSubTypes.Type(value = ReplicaMessage.CheckpointTaken.class, name = "checkpoint_taken"),
  @JsonSubTypes.Type(value = ReplicaMessage.CheckpointRefused.class, name = "checkpoint_refused"),
  @JsonSubTypes.Type(value = ReplicaMessage.TerminalWanted.class, name = "terminal_wanted"),
  @JsonSubTypes.Type(value = ReplicaMessage.TerminalAt.class, name = "terminal_at"),
  @JsonSubTypes.Type(value = ReplicaMessage.SlotWanted.class, name = "slot_wanted"),
  @JsonSubTypes.Type(value = ReplicaMessage.Recheck.class, name = "recheck"),
  @JsonSubTypes.Type(value = ReplicaMessage.WhoHas.class, name = "who_has"),
  @JsonSubTypes.Type(value = ReplicaMessage.Has.class, name = "has"),
  @JsonSubTypes.Type(value = ReplicaMessage.StopIdle.class, name = "stop_idle"),
  @JsonSubTypes.Type(value = ReplicaMessage.RunnerPoolsChanged.class, name = "runner_pools_changed")
})
public sealed interface ReplicaMessage {
  /** The run's approval has an answer. */
  record Deliver(String run, String approval) implements ReplicaMessage {}

  /**
   * The run is to pause.
   *
   * @param epoch as in {@link dev.baton.orchestrator.outbox.OutboxEffect.Pause}
   */
  record Pause(String run, int epoch, boolean now) implements ReplicaMessage {}

  record Cancel(String run, String reason) implements ReplicaMessage {}

  /**
   * Epochs below the given one are fenced, by run; their processes must be killed.
   *
   * @param below at most {@link #MOST_RUNS}
   */
  record Fence(Map<String, Integer> below) implements ReplicaMessage {
    /** A number of runs that always fits into one message. */
    public static final int MOST_RUNS = 100;

    public Fence {
      below = Map.copyOf(below);
    }
  }

  /** Requests a checkpoint with this id from the run's runner. */
  record Checkpoint(String run, String trigger, String id) implements ReplicaMessage {}

  /** The request was sent to the runner. */
  record CheckpointTaken(String id) implements ReplicaMessage {}

  /** The runner could not create the checkpoint. */
  record CheckpointRefused(String id, String reason) implements ReplicaMessage {}

  /** Queries at which replica a terminal of this run can be attached. */
  record TerminalWanted(String id, String run) implements ReplicaMessage {}

  /**
   * The run's runner is attached to the sender.
   *
   * @param url where clients reach the sender
   */
  record TerminalAt(String id, String url) implements ReplicaMessage {}

  /** A launch found no runner with a free slot on its replica. */
  record SlotWanted() implements ReplicaMessage {}

  /**
   * The stream of a runner with runs has ended; the replica that has the runner now reconciles it.
   */
  record Recheck(String runner) implements ReplicaMessage {}

  /** Queries which replica this runner is attached to. */
  record WhoHas(String runner) implements ReplicaMessage {}

  /** This runner is attached to the sender, and so to no other replica. */
  record Has(String runner) implements ReplicaMessage {}

  /** The replica that has this runner stops it, if it has no run. */
  record StopIdle(String runner) implements ReplicaMessage {}

  /** The stored pools of runners have changed. */
  record RunnerPoolsChanged() implements ReplicaMessage {}
}
