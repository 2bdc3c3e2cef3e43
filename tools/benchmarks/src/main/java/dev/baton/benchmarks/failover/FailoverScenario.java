/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import java.time.Duration;
import java.util.Locale;

/** The fault, and the goal for the time until the run's next step. */
public enum FailoverScenario {
  /** SIGKILL of a run's runner while others are idle. */
  WARM("SIGKILL, warm runner idle", Duration.ofMillis(300)),
  /**
   * The floor of the former: a paused run without files is resumed on an idle runner. Only what the
   * new runner does counts.
   */
  FLOOR("resume without files on an idle runner, from its assignment", Duration.ZERO),
  /** The same without a warm runner: a process must be started. */
  COLD("SIGKILL, a process is started", Duration.ofMillis(1_500)),
  /** SIGSTOP: heartbeats of one second, timeout after three. */
  HANG("SIGSTOP, timeout after 3 s", Duration.ofSeconds(4)),
  /** SIGKILL of the runner and of the orchestrator that has started it, one of two. */
  REPLICA_LOST("SIGKILL of runner and its orchestrator, missed after 3 s", Duration.ofSeconds(7)),
  /** SIGTERM: the run stops only during the handover. */
  PLANNED("SIGTERM, a process is started first", Duration.ofSeconds(1)),
  /** SIGKILL of many runners at once; a process is started for each. */
  HUNDRED("SIGKILL of all runners at once", Duration.ZERO),
  /** Restate: SIGKILL of the process of the service, which a supervisor starts again at once. */
  RESTATE("SIGKILL of Restate's service, started again at once", Duration.ZERO);

  /** Heartbeat interval of all scenarios but the last. */
  static final Duration INTERVAL = Duration.ofSeconds(1);

  static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final String text;
  private final Duration goal;

  FailoverScenario(String text, Duration goal) {
    this.text = text;
    this.goal = goal;
  }

  /** Description for the table. */
  public String text() {
    return text;
  }

  /** Goal for the median; zero when there is none. */
  public Duration goal() {
    return goal;
  }

  /** Whether it is measured by itself; the floor is measured with the scenario that it is for. */
  boolean isChosen() {
    return this != FLOOR;
  }

  /** Name in options and JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
