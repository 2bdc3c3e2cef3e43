/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class CrashLoopFoldTest {
  private static final String RUN = "01jd0000000000000000000000";

  private final StateFold fold = new StateFold(RunState.empty(RUN));
  private long seq;

  private RunHead after(TraceEvent.Control event) {
    fold.accept(
        new TraceRecord(
            new EventId(RUN, Lane.CONTROL, ++seq),
            URI.create("/baton/orchestrator"),
            Instant.EPOCH,
            event));
    return fold.state().head();
  }

  @Test
  void shouldFailARunInACrashLoopAndLoseOneOfAnyOtherReason() {
    after(new TraceEvent.RunnerAssigned(1, null, "start"));

    RunHead failed = after(new TraceEvent.RunLost(TraceEvent.RunLost.CRASH_LOOP, "ten times"));
    assertThat(failed.status()).isEqualTo(RunStatus.FAILED);
    assertThat(failed.error()).isEqualTo(Failure.of("crash_loop", "ten times"));

    RunHead again = after(new TraceEvent.RunnerAssigned(2, null, TraceEvent.RunnerAssigned.RESUME));
    assertThat(again.status()).isEqualTo(RunStatus.RESUMING);

    RunHead lost = after(new TraceEvent.RunLost("runner_exited", null));
    assertThat(lost.status()).isEqualTo(RunStatus.LOST);
  }
}
