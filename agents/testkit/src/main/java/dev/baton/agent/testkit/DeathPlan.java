/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

/**
 * How a session is disturbed.
 *
 * @param kills at most so many; fewer when a life reaches the end before
 * @param events most events of a life before its kill
 * @param conversations most of them side by side: each may lose an answer in a kill
 * @param isMoved whether each life has its workspace at another path; not where results contain it
 */
public record DeathPlan(int kills, int events, int conversations, boolean isMoved) {
  private static final int KILLS = Integer.getInteger("baton.agent.kills", 5);
  private static final int EVENTS = 14;

  /** A session of one conversation that moves. */
  public static final DeathPlan STANDARD = of(KILLS, EVENTS);

  public static DeathPlan of(int kills, int events) {
    return new DeathPlan(kills, events, 1, true);
  }

  public DeathPlan withConversations(int most) {
    return new DeathPlan(kills, events, most, isMoved);
  }

  /** All lives have their workspace at one path. */
  public DeathPlan atOnePath() {
    return new DeathPlan(kills, events, conversations, false);
  }
}
