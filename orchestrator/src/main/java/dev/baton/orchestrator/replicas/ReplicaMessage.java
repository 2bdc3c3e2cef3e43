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
 * What one replica tells all others. None is kept: whoever was not listening reads the database
 * when it listens again, so what a message says is in the database before it is sent, or is asked
 * again by whoever misses the answer. Heard twice it is the same as heard once.
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
  @JsonSubTypes.Type(value = ReplicaMessage.SlotWanted.class, name = "slot_wanted"),
  @JsonSubTypes.Type(value = ReplicaMessage.Recheck.class, name = "recheck"),
  @JsonSubTypes.Type(value = ReplicaMessage.WhoHas.class, name = "who_has"),
  @JsonSubTypes.Type(value = ReplicaMessage.Has.class, name = "has")
})
public sealed interface ReplicaMessage {
  /** An approval of the run has its answer. */
  record Deliver(String run, String approval) implements ReplicaMessage {}

  record Pause(String run, boolean now) implements ReplicaMessage {}

  record Cancel(String run, String reason) implements ReplicaMessage {}

  /**
   * By run: epochs below this one are over, and what is left of them is to be killed.
   *
   * @param below at most {@link #MOST_RUNS}
   */
  record Fence(Map<String, Integer> below) implements ReplicaMessage {
    /** As many as surely fit into one message. */
    public static final int MOST_RUNS = 100;

    public Fence {
      below = Map.copyOf(below);
    }
  }

  /** A checkpoint is wanted of the run's runner, under this id. */
  record Checkpoint(String run, String trigger, String id) implements ReplicaMessage {}

  /** The runner was asked for it. */
  record CheckpointTaken(String id) implements ReplicaMessage {}

  /** The runner could not make it. */
  record CheckpointRefused(String id, String reason) implements ReplicaMessage {}

  /** A launch found no runner with room where it was tried. */
  record SlotWanted() implements ReplicaMessage {}

  /**
   * A stream of this runner has ended, and there were runs on it: whoever has the runner now looks
   * whether it has them all.
   */
  record Recheck(String runner) implements ReplicaMessage {}

  /** Is this runner attached to somebody? */
  record WhoHas(String runner) implements ReplicaMessage {}

  /** It is, to the one that says so, and so to nobody else any more. */
  record Has(String runner) implements ReplicaMessage {}
}
