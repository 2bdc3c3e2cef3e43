/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.failover;

import java.time.Duration;
import java.util.Locale;

/** What happens, and how soon the run must be in its next step. */
public enum FailoverScenario {
  /** SIGKILL of a run's runner while others are idle. */
  WARM("SIGKILL, warm runner idle", Duration.ofMillis(300)),
  /** The same where a process must be started. */
  COLD("SIGKILL, a process is started", Duration.ofMillis(1_500)),
  /** SIGSTOP: heartbeats of one second, missed after three. */
  HANG("SIGSTOP, missed after 3 s", Duration.ofSeconds(4)),
  /** SIGKILL of the runner and of the orchestrator that has started it, one of two. */
  REPLICA_LOST("SIGKILL of runner and its orchestrator, missed after 3 s", Duration.ofSeconds(7)),
  /** SIGTERM: the run stands still only while it changes hands. */
  PLANNED("SIGTERM, a process is started first", Duration.ofSeconds(1)),
  /** SIGKILL of many runners at once; a process is started for each. */
  HUNDRED("SIGKILL of all runners at once", Duration.ZERO);

  /** Heartbeats of all but the last. */
  static final Duration INTERVAL = Duration.ofSeconds(1);

  static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final String text;
  private final Duration goal;

  FailoverScenario(String text, Duration goal) {
    this.text = text;
    this.goal = goal;
  }

  /** For people. */
  public String text() {
    return text;
  }

  /** For the median; zero where there is none. */
  public Duration goal() {
    return goal;
  }

  /** In options and JSON. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
