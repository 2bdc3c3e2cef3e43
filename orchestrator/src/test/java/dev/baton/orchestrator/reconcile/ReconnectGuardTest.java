/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.signal.RunnerSignal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReconnectGuardTest {
  private static final Duration NO_TIME = Duration.ZERO;

  private static final RunnerSignal MISSED =
      new RunnerSignal.HeartbeatsMissed("r", 4, "p", 3_100, 3_000);

  private static ReconnectGuard ago(long millis) {
    return new ReconnectGuard(4, Duration.ofMillis(millis));
  }

  @Test
  void shouldContradictASilenceThatBeganBeforeIt() {
    assertThat(ago(0).contradicts(MISSED, NO_TIME)).isTrue();
    assertThat(ago(2_999).contradicts(MISSED, NO_TIME)).isTrue();
    assertThat(ago(3_000).contradicts(MISSED, NO_TIME)).isFalse();
  }

  @Test
  void shouldContradictASignalThatWasGivenBeforeItHoweverLateItIsHandled() {
    assertThat(ago(60_000).contradicts(MISSED, Duration.ofSeconds(61))).isTrue();
    assertThat(ago(60_000).contradicts(MISSED, Duration.ofSeconds(58))).isTrue();
    assertThat(ago(60_000).contradicts(MISSED, Duration.ofSeconds(57))).isFalse();
  }

  @Test
  void shouldContradictNothingElse() {
    RunnerSignal exited = new RunnerSignal.RunnerExited("r", 4, "p", 137);
    RunnerSignal ofAnother = new RunnerSignal.HeartbeatsMissed("r", 5, "p", 3_100, 3_000);
    assertThat(ago(0).contradicts(exited, NO_TIME)).isFalse();
    assertThat(ago(0).contradicts(ofAnother, NO_TIME)).isFalse();
  }
}
