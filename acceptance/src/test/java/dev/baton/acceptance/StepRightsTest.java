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

/** A step that uses the real command line with the environment that its runner gives it. */
@UsesSharedStack
class StepRightsTest {
  private static final Duration END = Duration.ofSeconds(120);

  @Test
  void shouldGuardAnEffectAndDoNothingElse(SharedStackExtension.RunningStack on) throws Exception {
    on.api.push(
        """
        name: step-rights
        steps:
          - id: try
            shell: |
              export BATON_SKIP_BUILD=1 BATON='%s'
              "$BATON" guard -- echo guarded
              "$BATON" status >/dev/null 2>errors || echo "status $?"
              "$BATON" cancel "$BATON_RUN_ID" >/dev/null 2>>errors || echo "cancel $?"
              "$BATON" guard --run 01k0000000000000000000000b -- echo other || echo "other $?"
              cat errors
        """
            .formatted(BatonCliInvoker.program()));

    String run = on.api.start("step-rights", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText())
        .contains("guarded\n", "status 8", "cancel 8", "other 121")
        .contains("step of run " + run)
        .doesNotContain("other\n");
  }
}
