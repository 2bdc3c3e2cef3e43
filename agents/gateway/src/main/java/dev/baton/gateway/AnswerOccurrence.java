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
  private final BoundaryTracker.Delivery delivery;
  private final @Nullable JournaledAnswer replayed;
  private BoundaryTracker.@Nullable Arrival arrival;
  private boolean delivered;
  private boolean opened;

  AnswerOccurrence(
      String conversation,
      String key,
      AnswerProgress progress,
      @Nullable JournaledAnswer replayed) {
    this.conversation = conversation;
    this.key = key;
    this.progress = progress;
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

  BoundaryTracker.Delivery delivery() {
    return delivery;
  }

  /** The journaled answer that this is; null for a call of the model. */
  @Nullable JournaledAnswer replayed() {
    return replayed;
  }

  BoundaryTracker.Arrival arrival() {
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

  synchronized void setDelivered() {
    delivered = true;
  }

  /**
   * Whether the calls of the answer have to be registered as open: once, and again for a further
   * caller that gets the same answer after the first one has it.
   */
  synchronized boolean opens() {
    boolean first = !opened;
    opened = true;
    return first || delivered;
  }
}
