/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.runner.RunnerExitCode;
import dev.baton.runner.testkit.CarrierBlockingFunction;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunnerProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Blocks all virtual threads of a real runner process, whose heartbeats continue. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class HangingRunnerTest {
  private final RunnerTestEnvironment services;

  HangingRunnerTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  @Tag("full")
  @Test
  void shouldEndItself() throws Exception {
    TestRun run =
        new TestRun(
            services,
            "{name: hang, steps: [{id: s, fn: %s}]}".formatted(CarrierBlockingFunction.NAME),
            "{}");
    run.nextEpoch();
    try (TestRunnerProcess process =
        new TestRunnerProcess(services, run, services.data().resolve("hang-" + run.id))) {
      services.gateway.awaitHello(process.id);
      services.gateway.assign(process.id, run.assign());

      assertThat(process.awaitExit()).isEqualTo(RunnerExitCode.INTERNAL.code());
      assertThat(process.log()).contains("no progress of the virtual threads; exiting");
    }
  }
}
