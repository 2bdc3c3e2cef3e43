/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ParkedTimerTrackerTest {
  private static final String RUN = "01jd0000000000000000000000";
  private static final TraceEvent STARTED = new TraceEvent.RunnerStarted("r", 1L, "h", null, 0);

  private RunState state = RunState.empty(RUN);
  private long control;
  private long runner;
  private int epoch;

  @BeforeEach
  void begin() {
    control(
        new TraceEvent.RunCreated(
            "managed",
            "default",
            "w",
            null,
            null,
            Map.of(),
            null,
            "always",
            null,
            null,
            Instant.EPOCH,
            null,
            0,
            null));
    assigned("start", null);
    runner(STARTED);
  }

  @Test
  void shouldSubtractTheTimeForWhichTheRunWasParkedFromItsTimers() {
    runner(new TraceEvent.StepStarted("all/0/a", "wait", 1, 1));
    runner(new TraceEvent.StepStarted("all/1/b", "wait", 1, 1));
    runner(new TraceEvent.StepStarted("all/2/c", "wait", 1, 1));
    runner(
        new TraceEvent.RunParked(
            null, 700L, List.of(), Map.of("all/0/a", 700L, "all/1/b", 2_000L, "gone", 5L)));
    assigned(TraceEvent.RunnerAssigned.UNPARKED, 750L);

    assertThat(left("all/0/a")).isZero();
    assertThat(left("all/1/b")).isEqualTo(1_250L);
    assertThat(left("all/2/c")).as("not measured").isNull();

    runner(STARTED);
    runner(new TraceEvent.StepStarted("all/1/b", "wait", 1, 1));
    assertThat(left("all/1/b")).as("while its visit lasts").isEqualTo(1_250L);
    assigned("runner_exited", null);
    assertThat(left("all/1/b")).as("an upper bound after a failover").isEqualTo(1_250L);
    runner(STARTED);
    runner(new TraceEvent.StepStarted("all/1/b", "wait", 2, 1));
    assertThat(left("all/1/b")).as("of another visit").isNull();
  }

  @Test
  void shouldForgetTheTimeLeftOfAQuestionThatIsReplaced() {
    runner(question());
    runner(new TraceEvent.RunParked(null, 700L, List.of(RUN + "-ok-1"), Map.of("ok", 700L)));
    assigned(TraceEvent.RunnerAssigned.UNPARKED, 100L);
    assertThat(left("ok")).isEqualTo(600L);

    runner(STARTED);
    runner(question());

    assertThat(left("ok")).isNull();
  }

  private @Nullable Long left(String path) {
    return Objects.requireNonNull(state.steps().get(path)).leftMs();
  }

  private void assigned(String reason, @Nullable Long waitedMs) {
    epoch++;
    runner = 0;
    control(new TraceEvent.RunnerAssigned(epoch, null, reason, waitedMs));
  }

  private void control(TraceEvent event) {
    apply(Lane.CONTROL, ++control, event);
  }

  private void runner(TraceEvent event) {
    apply(Lane.runner(epoch), ++runner, event);
  }

  private void apply(Lane lane, long seq, TraceEvent event) {
    state =
        state.apply(
            new TraceRecord(
                new EventId(RUN, lane, seq), URI.create("/test"), Instant.EPOCH, event));
  }

  private static TraceEvent question() {
    return new TraceEvent.ApprovalRequested(
        "ok", RUN + "-ok-1", "go?", null, null, null, null, null);
  }
}
