/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.TraceEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateSizeTest {
  private final StateSize size = new StateSize();

  @Test
  void shouldCountWhatALaterEventReplacesOnce() {
    size.add(completed(1), 1_000);
    size.add(completed(2), 400);

    assertThat(size.bytes()).isEqualTo(800);
  }

  @Test
  void shouldCountTheOutputThatAFailedStepKeeps() {
    size.add(completed(1), 1_000);
    size.add(failed(2, 1), 10);
    size.add(failed(2, 2), 20);
    assertThat(size.bytes()).isEqualTo(2_020);

    size.add(completed(2), 500);
    assertThat(size.bytes()).isEqualTo(1_000);
  }

  private static TraceEvent completed(int visit) {
    return new TraceEvent.StepCompleted(
        "build", "shell", visit, 1, null, null, false, List.of(), 0, null, null, 10, null);
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
