/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FaultScheduleTest {
  private static final Duration TIME = Duration.ofMinutes(5);

  @Test
  void shouldBeAFunctionOfTheSeed() {
    List<PlannedFault> one = FaultSchedule.of(7, TIME, 250);

    assertThat(FaultSchedule.of(7, TIME, 250)).isEqualTo(one);
    assertThat(FaultSchedule.of(8, TIME, 250)).isNotEqualTo(one);
  }

  @Test
  void shouldHaveOnlyTheKindsThatAreWanted() {
    assertThat(FaultSchedule.of(7, TIME, 50, EnumSet.of(FaultKind.GROW_TOPICS)))
        .hasSize(50)
        .allMatch(fault -> fault.kind() == FaultKind.GROW_TOPICS);
  }

  @Test
  void shouldHaveAllKindsInOrderWithinItsTime() {
    List<PlannedFault> faults = FaultSchedule.of(7, TIME, 1000);

    assertThat(faults).hasSize(1000);
    Set<FaultKind> kinds = faults.stream().map(PlannedFault::kind).collect(Collectors.toSet());
    assertThat(kinds).isEqualTo(EnumSet.allOf(FaultKind.class));
    assertThat(faults).allMatch(fault -> fault.atMs() >= 0 && fault.atMs() < TIME.toMillis());
    for (int i = 1; i < faults.size(); i++) {
      assertThat(faults.get(i).atMs()).isGreaterThanOrEqualTo(faults.get(i - 1).atMs());
      assertThat(faults.get(i).number()).isEqualTo(i + 1);
    }
    assertThat(faults)
        .allMatch(
            fault ->
                fault.durationMs() >= fault.kind().shortestMs()
                    && fault.durationMs() <= fault.kind().longestMs());
  }
}
