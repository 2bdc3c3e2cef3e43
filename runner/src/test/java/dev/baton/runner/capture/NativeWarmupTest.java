/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class NativeWarmupTest {

  @Test
  void shouldUseAllThatItLinks() {
    assertThatCode(NativeWarmup::link).doesNotThrowAnyException();
  }
}
