/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects what the proofs of a run's events show. Not thread-safe. */
public final class EventProofReport {
  /** Most problems, and most gaps, that are listed; all are counted. */
  static final int MOST = 100;

  /**
   * @param event the id of the event, or {@code <run>/<lane>} for events of a lane with one lease
   * @param reason as in the dead letters, for example {@code bad_signature}
   * @param events number of events with this problem
   */
  public record Problem(String event, String reason, String detail, long events) {}

  /**
   * @param expected the first missing seq of the control lane
   * @param found the one that follows the gap
   */
  public record Gap(long expected, long found) {}

  /**
   * @param published whether an orchestrator publishes the key
   */
  public record KeyUse(boolean published, long controlEvents, long runnerEvents) {
    KeyUse plus(KeyUse other) {
      return new KeyUse(
          published && other.published,
          controlEvents + other.controlEvents,
          runnerEvents + other.runnerEvents);
    }
  }

  private final boolean signed;
  private final boolean leaseNeeded;
  private final Map<String, KeyUse> keys = new TreeMap<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private long controlEvents;
  private long signedEvents;
  private long runnerEvents;
  private long leasedEvents;
  private long wrong;
  private long lastSeq;

  EventProofReport(boolean signed, boolean leaseNeeded) {
    this.signed = signed;
    this.leaseNeeded = leaseNeeded;
  }

  /**
   * Adds a control event. Call it in the order of their seqs.
   *
   * @param kid of its signature; null for none
   * @param problem null if the signature is valid, or absent and not needed
   */
  void addControl(long seq, @Nullable String kid, @Nullable Problem problem) {
    controlEvents++;
    if (seq != lastSeq + 1 && gaps.size() < MOST) {
      gaps.add(new Gap(lastSeq + 1, seq));
    }
    lastSeq = seq;
    add(kid, problem, new KeyUse(true, 1, 0));
    if (kid != null && problem == null) {
      signedEvents++;
    }
  }

  /**
   * Adds the events of a lane that have the same lease.
   *
   * @param kid of their lease; null for none
   * @param problem null if the lease is valid, or absent and not needed
   */
  void addRunner(long events, @Nullable String kid, @Nullable Problem problem) {
    runnerEvents += events;
    add(kid, problem, new KeyUse(true, 0, events));
    if (kid != null && problem == null) {
      leasedEvents += events;
    }
  }

  private void add(@Nullable String kid, @Nullable Problem problem, KeyUse use) {
    if (kid != null) {
      boolean known = problem == null || !problem.reason().equals("unknown_key");
      keys.merge(kid, new KeyUse(known, use.controlEvents(), use.runnerEvents()), KeyUse::plus);
    }
    if (problem != null) {
      wrong += problem.events();
      if (problems.size() < MOST) {
        problems.add(problem);
      }
    }
  }

  boolean isEmpty() {
    return controlEvents + runnerEvents == 0;
  }

  /** Whether the run began with a signed event, so that every control event needs a signature. */
  public boolean isSigned() {
    return signed;
  }

  /** Whether every event of a runner needs a lease. */
  public boolean needsLease() {
    return leaseNeeded;
  }

  public long controlEvents() {
    return controlEvents;
  }

  /** Returns the number of control events with a valid signature. */
  public long signedEvents() {
    return signedEvents;
  }

  public long runnerEvents() {
    return runnerEvents;
  }

  /** Returns the number of events of runners with a valid lease. */
  public long leasedEvents() {
    return leasedEvents;
  }

  /** Returns the number of events whose proof is missing or invalid. */
  public long wrong() {
    return wrong;
  }

  public Map<String, KeyUse> keys() {
    return Map.copyOf(keys);
  }

  public List<Problem> problems() {
    return List.copyOf(problems);
  }

  public List<Gap> gaps() {
    return List.copyOf(gaps);
  }
}
