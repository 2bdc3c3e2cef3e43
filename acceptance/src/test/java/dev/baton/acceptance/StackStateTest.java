/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Checks that the CLI reads the state that the supervisor writes; neither uses classes of the
 * other.
 */
@UsesSharedStack
class StackStateTest {
  @Test
  void shouldRecogniseTheSupervisorByWhatItHasWritten(SharedStackExtension.RunningStack on)
      throws Exception {
    BatonCliInvoker.Result up = BatonCliInvoker.run(on, "up", "--data", on.stack.data().toString());

    assertThat(up.code()).as("%s", up).isZero();
    assertThat(up.out()).startsWith("Baton is up already at " + on.stack.orchestratorUrl());
    assertThat(up.err()).as("calls no other program").isEmpty();
  }
}
