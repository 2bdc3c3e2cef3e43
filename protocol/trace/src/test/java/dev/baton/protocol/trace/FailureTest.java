/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureTest {
  @Test
  void shouldKeepAFailuresMessageWellFormed() {
    assertThat(Failure.of("internal", "cut in half: \ud83d").message())
        .isEqualTo("cut in half: \ufffd");
  }
}
