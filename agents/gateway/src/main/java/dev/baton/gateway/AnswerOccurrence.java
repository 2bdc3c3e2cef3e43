/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.boundary.BoundaryTracker;
import dev.baton.gateway.journal.JournaledAnswer;
import org.jspecify.annotations.Nullable;

/**
 * One of the requests of a session with the same key, and its answer. Requests of the same caller
 * that come before the answer is delivered are repetitions and share it. Guarded by the session.
 */
final class AnswerOccurrence {
  private final String conversation;
  private final String key;
  private final AnswerProgress progress;
  private final BoundaryTracker boundaries;
  private final BoundaryTracker.Delivery delivery;
  private final @Nullable JournaledAnswer replayed;
  private BoundaryTracker.@Nullable Arrival arrival;
  private boolean delivered;
  private boolean opened;
  private volatile @Nullable AnswerOccurrence successor;

  AnswerOccurrence(
      String conversation,
      String key,
      AnswerProgress progress,
      BoundaryTracker boundaries,
      @Nullable JournaledAnswer replayed) {
    this.conversation = conversation;
    this.key = key;
    this.progress = progress;
    this.boundaries = boundaries;
    this.replayed = replayed;
    this.delivery = new BoundaryTracker.Delivery(conversation, key);
  }

  String conversation() {
    return conversation;
  }

  String key() {
    return key;
  }

  AnswerProgress progress() {
    return progress;
  }

  /**
   * Registers the answer as on its way, unless its request has to wait or a capture is running;
   * waits for that at most for {@code millis}.
   *
   * @return whether it is on its way
   */
  boolean begin(long millis) throws InterruptedException {
    if (!arrival().await(millis)) {
      return false;
    }
    if (boundaries.begin(delivery)) {
      return true;
    }
    boundaries.awaitChange(millis);
    return boundaries.begin(delivery);
  }

  /** Registers that the answer has reached the agent, or has failed. */
  void end() {
    boundaries.end(delivery);
  }

  /** The journaled answer that this is; null for a call of the model. */
  @Nullable JournaledAnswer replayed() {
    return replayed;
  }

  private BoundaryTracker.Arrival arrival() {
    BoundaryTracker.Arrival arrived = arrival;
    if (arrived == null) {
      throw new IllegalStateException("the request has not been registered");
    }
    return arrived;
  }

  void arrived(BoundaryTracker.Arrival at) {
    arrival = at;
  }

  synchronized boolean isDelivered() {
    return delivered;
  }

  /** Registers that the agent has the answer. */
  void deliver() {
    synchronized (this) {
      delivered = true;
    }
    end();
  }

  /**
   * Registers the calls of the answer as open, before the agent can have them: once, and again for
   * a further caller that gets the same answer after the first one has it.
   */
  void openCalls() {
    boolean opens;
    synchronized (this) {
      opens = !opened || delivered;
      opened = true;
    }
    if (opens) {
      boundaries.opened(delivery, progress.calls());
    }
  }

  /** Lets a later session give the answer, which this one did not deliver before it was closed. */
  void handOver(AnswerOccurrence later) {
    successor = later;
  }

  /** The occurrence in the newest session that gives this answer. */
  AnswerOccurrence newest() {
    AnswerOccurrence newest = this;
    for (AnswerOccurrence next = successor; next != null; next = newest.successor) {
      newest = next;
    }
    return newest;
  }
}
