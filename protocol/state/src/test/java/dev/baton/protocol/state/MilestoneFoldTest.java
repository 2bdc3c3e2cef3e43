/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Milestone;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MilestoneFoldTest {
  private static final String RUN = "01jd0000000000000000000000";

  private RunState state = RunState.empty(RUN);
  private long control;
  private long runner;

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
    control(new TraceEvent.RunnerAssigned(1, null, "start"));
    runner(new TraceEvent.RunnerStarted("r", 1L, "h", null, 0));
  }

  @Test
  void shouldCountMilestonesOfCompletedStepsOnly() {
    runner(milestone("a", 1, 0, cut("a")));
    runner(milestone("b", 1, 1, cut("b")));
    runner(milestone("a", 2, 2, cut("a2")));
    runner(
        new TraceEvent.CheckpointSaved(
            "c",
            "b",
            "milestone",
            cut("b2"),
            null,
            new Milestone(3, "t", "tier0", "f".repeat(40), true)));
    assertThat(state.nextMilestone()).isEqualTo(3);
    runner(milestone("b", 2, 3, null));
    runner(milestone("c", 1, 4, null));
    assertThat(state.nextMilestone()).isEqualTo(5);
    assertThat(
            ForkStateBuilder.of(state, null, null)
                .state("01jd0000000000000000000009", Map.of())
                .nextMilestone())
        .isEqualTo(3);
    control(new TraceEvent.RunnerAssigned(2, null, "runner_exited"));

    assertThat(state.milestones()).isEqualTo(Map.of("a", 2, "b", 1));
    assertThat(state.nextMilestone()).isEqualTo(3);
    assertThat(RunState.empty(RUN).nextMilestone()).isZero();
  }

  /** The repository had lost milestones 1 and 2, and it takes precedence. */
  @Test
  void shouldCountMilestonesOnFromANumberThatWentBack() {
    runner(milestone("a", 1, 0, cut("a")));
    runner(milestone("b", 1, 1, cut("b")));
    runner(milestone("c", 1, 2, cut("c")));
    runner(milestone("d", 1, 1, cut("d")));

    assertThat(state.milestones()).isEqualTo(Map.of("a", 0, "d", 1));
    assertThat(state.nextMilestone()).isEqualTo(2);
    runner(milestone("e", 1, 0, null));
    assertThat(state.milestones()).isEqualTo(Map.of("e", 0));
    control(new TraceEvent.RunnerAssigned(2, null, "runner_exited"));
    assertThat(state.milestones()).as("taken back").isEqualTo(Map.of("a", 0, "d", 1));
  }

  private static TraceEvent.StepCompleted milestone(
      String step, int visit, int index, @Nullable Cut cut) {
    return new TraceEvent.StepCompleted(
        step,
        "shell",
        visit,
        1,
        null,
        cut,
        cut == null,
        List.of("z"),
        0,
        null,
        null,
        1,
        index,
        null);
  }

  private void control(TraceEvent event) {
    apply(Lane.CONTROL, ++control, event);
  }

  private void runner(TraceEvent event) {
    apply(Lane.runner(1), ++runner, event);
  }

  private void apply(Lane lane, long seq, TraceEvent event) {
    state =
        state.apply(
            new TraceRecord(
                new EventId(RUN, lane, seq), URI.create("/test"), Instant.EPOCH, event));
  }

  private static Cut cut(String name) {
    return new Cut(Digest.of(name.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1, 1, 1, null);
  }
}
