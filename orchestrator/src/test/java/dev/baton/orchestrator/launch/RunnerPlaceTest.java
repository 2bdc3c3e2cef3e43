/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.RunnerSelector;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RunnerPlaceTest {
  private static final RunnerDemand ISOLATED = demand(IsolationMode.ISOLATED, false);
  private static final RunnerDemand LIGHT = demand(IsolationMode.SHARED, false);
  private static final RunnerDemand SHELLS = demand(IsolationMode.SHARED, true);

  private static RunnerDemand demand(IsolationMode isolation, boolean sharesPrograms) {
    return new RunnerDemand(RunnerSelector.ANY, isolation, sharesPrograms);
  }

  private static RunnerPlace place(int shared, boolean sharesPrograms) {
    return new RunnerPlace(
        "l",
        "p",
        Map.of(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        0,
        shared,
        sharesPrograms,
        LaunchTimeouts.ofAttach(Duration.ofMinutes(1)));
  }

  @Test
  void shouldNeedSharedRunnersForLightRunsOnly() {
    assertThat(place(0, true).lack(ISOLATED)).isEmpty();
    assertThat(place(0, true).lack(LIGHT)).hasValue("no shared runners");
    assertThat(place(1, false).lack(LIGHT)).isEmpty();
  }

  @Test
  void shouldExecuteShellsOnSharedRunnersOfSomeLaunchersOnly() {
    assertThat(place(1, true).lack(SHELLS)).isEmpty();
    assertThat(place(1, false).lack(SHELLS).orElseThrow()).contains("execute no shell steps");
    assertThat(place(0, true).lack(SHELLS)).hasValue("no shared runners");
  }
}
