/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.journal.JournaledAnswer;
import java.time.Duration;
import java.util.List;

/**
 * Receives what happens in a session, for metrics, events and status. Methods return quickly and do
 * not throw. Implementations are thread-safe.
 */
public interface GatewayObserver {
  /** An observer that ignores everything. */
  GatewayObserver NONE = new GatewayObserver() {};

  /** An answer was journaled. */
  default void answered(JournaledAnswer answer) {}

  /** An answer was given from the journal. */
  default void replayed(JournaledAnswer answer) {}

  /** A request after a resume differs from all journaled ones although some are left. */
  default void diverged(String conversation, String key, int answersLeft) {}

  /**
   * A request is sent again.
   *
   * @param reason status or failure
   */
  default void retried(String conversation, int attempt, String reason, Duration delay) {}

  /** An answer broke off after a part of it had reached the agent. */
  default void brokenOff(String conversation, String reason) {}

  /**
   * A request was refused since a budget is used up.
   *
   * @param budget {@code cost}, {@code tokens}, {@code turns} or {@code deadline}
   */
  default void budgetStopped(String budget, String message) {}

  /** A boundary was captured. */
  default void boundaryReached(int number, Duration took) {}

  /** A boundary could not be captured; a resume starts at an older one. */
  default void boundaryFailed(int number, String reason) {}

  /**
   * No boundary was reached for a long time.
   *
   * @param openCalls tools that keep it away, as {@code name (id)}
   */
  default void boundaryUnreachable(List<String> openCalls) {}

  /** A request had no token, or one that opens no session. */
  default void refusedToken(String path) {}
}
