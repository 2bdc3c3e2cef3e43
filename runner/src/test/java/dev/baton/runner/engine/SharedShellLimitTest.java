/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.steps.SharedProgramLimiter;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Executes more programs on one shared runner than it may at the same time. */
class SharedShellLimitTest extends SharedRunnerTestBase {
  SharedShellLimitTest(RunnerTestEnvironment services) {
    super(services);
  }

  private TestRun waiting(Path gate, String isolation, String timeout) throws Exception {
    return run(
        """
        name: waiting
        runner: {isolation: %s}
        steps:
          - {id: wait, shell: 'until test -e %s; do sleep 0.05; done; echo done', output: text, workspace: none%s}
        """
            .formatted(isolation, gate, timeout));
  }

  @Test
  void shouldLetStepsWaitForAPlaceUntilTheirTimeout() throws Exception {
    Path gate = services.data().resolve("shared-shell-limit.gate");
    List<TestRun> running = new ArrayList<>();
    for (int i = 0; i < SharedProgramLimiter.defaultMax(); i++) {
      TestRun run = waiting(gate, "shared", "");
      running.add(run);
      services.trace.await(run.id, TraceEvent.StepStarted.class, e -> true);
    }

    TestRun late = waiting(gate, "shared", ", timeout: 300ms");
    TraceEvent.RunFailed failed = late.awaitFailure();
    TestRun next = waiting(gate, "shared", "");
    // Of workflows that do not ask for a shared runner, an external one executes all.
    TestRun isolated = waiting(gate, "isolated", ", timeout: 300ms");
    TraceEvent.RunFailed stopped = isolated.awaitFailure();

    assertThat(failed.error().code()).isEqualTo("timeout");
    assertThat(failed.error().message()).contains("left no place");
    assertThat(stopped.error().message()).contains("stopped after");
    Files.createFile(gate);
    running.add(next);
    for (TestRun run : running) {
      assertThat(run.awaitOutput().asText()).isEqualTo("done");
    }
  }
}
