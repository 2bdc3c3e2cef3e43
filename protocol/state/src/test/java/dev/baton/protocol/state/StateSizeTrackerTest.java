/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StateSizeTrackerTest {
  private final StateSizeTracker size = new StateSizeTracker();

  @Test
  void shouldCountWhatALaterEventReplacesOnce() {
    size.add(completed("build", 1, output(1_000)));
    size.add(completed("build", 2, output(400)));
    long bytes = size.bytes();

    StateSizeTracker once = new StateSizeTracker();
    once.add(completed("build", 2, output(400)));
    assertThat(bytes).isEqualTo(once.bytes());
    assertThat(size.inlineBytes()).isEqualTo(402);
  }

  @Test
  void shouldCountTheOutputThatAFailedStepKeeps() {
    size.add(completed("build", 1, output(1_000)));
    long before = size.bytes();
    size.add(failed(2, 1));
    size.add(failed(2, 2));
    assertThat(size.bytes()).isBetween(before + 100, before + 500);

    size.add(completed("build", 2, output(1_000)));
    assertThat(size.bytes()).isEqualTo(before);
  }

  @Test
  void shouldForgetWhereBranchesWereOnceTheirParallelHasEnded() {
    size.add(completed("p/0/a", 1, output(10_000)));
    size.add(completed("p/1/a", 1, output(10_000)));
    assertThat(size.bytes()).isGreaterThan(40_000);
    size.add(
        new TraceEvent.StepCompleted(
            "p", "parallel", 1, 1, null, null, false, List.of(), 0, null, null, 10, null, null));
    assertThat(size.bytes()).isBetween(20_000L, 22_000L);
    assertThat(size.inlineBytes()).isEqualTo(20_004);
  }

  @Test
  void shouldBoundTheStateAsItIsWritten() {
    String run = RunId.next();
    StateFold fold = new StateFold(RunState.empty(run));
    fold.accept(
        new TraceRecord(
            new EventId(run, Lane.CONTROL, 1),
            URI.create("/test"),
            Instant.EPOCH,
            new TraceEvent.RunnerAssigned(1, null, "start")));
    Output.Ref ref = new Output.Ref("sha256:" + "0".repeat(64), 60_000);
    for (int i = 0; i < 1_000; i++) {
      TraceEvent.StepCompleted done =
          completed("each/" + i + "/page", 1, i % 2 == 0 ? ref : output(20));
      fold.accept(
          new TraceRecord(
              new EventId(run, Lane.runner(1), i + 1), URI.create("/test"), Instant.EPOCH, done));
      size.add(done);
    }
    int written = Json.bytes(fold.state()).length;
    assertThat(size.bytes()).isBetween((long) (written * 0.8), written * 2L);
    assertThat(StateSizeTracker.of(fold.state()).inlineBytes()).isEqualTo(size.inlineBytes());
    assertThat(StateSizeTracker.of(fold.state()).bytes())
        .isBetween((long) (size.bytes() * 0.8), (long) (size.bytes() * 1.25));
  }

  private static Output output(int chars) {
    return new Output.Inline(TextNode.valueOf("x".repeat(chars)));
  }

  private static TraceEvent.StepCompleted completed(
      String step, int visit, @Nullable Output output) {
    return new TraceEvent.StepCompleted(
        step,
        "shell",
        visit,
        1,
        output,
        null,
        false,
        List.of(),
        0,
        null,
        Instant.EPOCH,
        10,
        null,
        null);
  }

  private static TraceEvent failed(int visit, int attempt) {
    return new TraceEvent.StepFailed(
        "build",
        "shell",
        visit,
        attempt,
        Failure.of("exit_code", "exited with 1"),
        null,
        null,
        null,
        false);
  }
}
