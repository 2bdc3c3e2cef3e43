/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Kills a shared runner that executes many light runs. */
@UsesSharedStack
class SharedRunnerDeathTest {
  // Much less than the timeout of a launch without an attached runner.
  private static final Duration SOON = Duration.ofSeconds(20);

  @Test
  void shouldGiveItsRunsToAnotherAtOnce(SharedStackExtension.RunningStack running)
      throws Exception {
    AcceptanceApiClient api = running.api;
    api.push("{name: shared-death, steps: [{id: ask, approval: Go on}]}");
    String run = api.start("shared-death", AcceptanceApiClient.JSON.createObjectNode());

    for (int epoch = 1; epoch <= 3; epoch++) {
      int current = epoch;
      Await.until(
          "run " + run + " waits in epoch " + epoch,
          SOON,
          () -> {
            JsonNode now = api.run(run);
            return now.path("epoch").asInt() == current
                && now.path("status").asText().equals("waiting");
          });
      long pid = api.run(run).path("runner").path("pid").asLong();
      assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }
    Await.until("run " + run + " waits again", SOON, () -> api.run(run).path("epoch").asInt() == 4);
  }
}
