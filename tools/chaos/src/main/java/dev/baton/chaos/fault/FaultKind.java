/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.standalone.StackComponent;
import org.jspecify.annotations.Nullable;

/** Kinds of faults, each with its weight in a schedule and its duration. */
public enum FaultKind {
  /** SIGKILL of a runner only: the processes that it started remain. */
  KILL_RUNNER(18, 0, 0, null),
  /** SIGKILL of a runner and all processes that it started, as when a container dies. */
  KILL_RUNNER_TREE(8, 0, 0, null),
  /** SIGSTOP of a runner, then SIGCONT: shorter and longer than the heartbeat timeout. */
  STOP_RUNNER(14, 200, 8_000, null),
  /** Records of a run, including those of old epochs, are delivered again, in any order. */
  RESEND(24, 0, 0, null),
  /** One topic, or all, get more partitions. */
  GROW_TOPICS(4, 0, 0, null),
  /** Objects of a run's newest checkpoint are deleted, truncated or changed. */
  DAMAGE_CHECKPOINT(6, 0, 0, null),
  /** Data of one side arrives late. */
  DELAY(10, 1_000, 6_000, null),
  /** No data passes; connections stay open. */
  CUT(12, 300, 5_000, null),
  /** No packet passes, in one or both directions: TCP waits and retransmits. */
  PARTITION(8, 300, 8_000, null),
  /** All connections of one link break at the same time. */
  DROP(6, 0, 0, null),
  /**
   * The wall clock of one process, or of the runners, jumps by seconds to hours, and later jumps
   * back.
   */
  CLOCK_JUMP(6, 2_000, 8_000, null),
  /** The disk of the spools is full while brokers are unreachable. */
  FULL_SPOOL(3, 3_000, 8_000, null),
  /** SIGKILL, and a restart after a delay. */
  KILL_ORCHESTRATOR(3, 0, 3_000, StackComponent.ORCHESTRATOR),
  /** SIGKILL, and a restart after a delay. */
  KILL_STORE(3, 0, 3_000, StackComponent.STORE),
  /** SIGKILL, and a restart after a delay. */
  KILL_KAFKA(1, 0, 2_000, StackComponent.KAFKA),
  /** SIGKILL, and a restart after a delay. */
  KILL_POSTGRES(2, 0, 2_000, StackComponent.POSTGRES),
  /** SIGKILL, and a restart after a delay. */
  KILL_S3(2, 0, 2_000, StackComponent.S3),
  /** SIGSTOP of the orchestrator, then SIGCONT. */
  STOP_ORCHESTRATOR(2, 500, 5_000, StackComponent.ORCHESTRATOR),
  /** SIGSTOP of the broker, then SIGCONT: longer than the time-outs of its clients. */
  STOP_KAFKA(1, 31_000, 40_000, StackComponent.KAFKA);

  private final int weight;
  private final int shortestMs;
  private final int longestMs;
  private final @Nullable StackComponent component;

  FaultKind(int weight, int shortestMs, int longestMs, @Nullable StackComponent component) {
    this.weight = weight;
    this.shortestMs = shortestMs;
    this.longestMs = longestMs;
    this.component = component;
  }

  int weight() {
    return weight;
  }

  int shortestMs() {
    return shortestMs;
  }

  int longestMs() {
    return longestMs;
  }

  /** The affected server; null for faults of runners, links or records. */
  @Nullable StackComponent component() {
    return component;
  }
}
