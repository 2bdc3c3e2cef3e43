/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunIdTest {
  @Test
  void shouldGiveTheLeastIdOfAMoment() {
    String id = RunId.next();
    Instant made = RunId.time(id);

    assertThat(RunId.firstOf(made)).isLessThanOrEqualTo(id);
    assertThat(RunId.time(RunId.firstOf(made))).isEqualTo(made);
    assertThat(RunId.firstOf(made.plusMillis(1))).isGreaterThan(id);
  }

  @Test
  void shouldBringMomentsThatNoIdCanTellToTheNearest() {
    assertThat(RunId.firstOf(Instant.MIN)).isEqualTo("0".repeat(26));
    assertThat(RunId.firstOf(Instant.EPOCH)).isEqualTo("0".repeat(26));
    assertThat(RunId.isValid(RunId.firstOf(Instant.MAX))).isTrue();
    assertThat(RunId.firstOf(Instant.MAX)).isGreaterThan(RunId.next());
  }
}
