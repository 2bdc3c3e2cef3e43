/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MilestoneSequencerTest {
  @Test
  void shouldCountWhatTheFilesOfABranchHave() {
    MilestoneSequencer milestones =
        new MilestoneSequencer(
            6, Map.of("a", 0, "p/left/l", 1, "p/right/r", 2, "p/left/q/x/i", 3, "p/left/q/y/j", 4));

    assertThat(milestones.newestOn("p/left/q/x")).isEqualTo(3);
    assertThat(milestones.newestOn("p/left/q/y")).isEqualTo(4);
    assertThat(milestones.newestOn("p/right")).isEqualTo(2);
    assertThat(milestones.newestOn("p/third")).isEqualTo(0);
    assertThat(milestones.newestOn("p/left")).as("merged").isEqualTo(4);
    assertThat(milestones.newestOn("")).as("merged").isEqualTo(4);
    assertThat(new MilestoneSequencer(0, Map.of()).newestOn("")).isEqualTo(-1);
  }

  @Test
  void shouldDropWhatTheRepositoryHasLost() throws Exception {
    MilestoneSequencer milestones = new MilestoneSequencer(3, Map.of("a", 0, "b", 1, "c", 2));

    try (MilestoneSequencer.Turn turn = milestones.begin()) {
      assertThat(turn.index()).isEqualTo(3);
      turn.made("d", 1);
      assertThat(turn.index()).isEqualTo(2);
    }

    assertThat(milestones.newestOn("")).isEqualTo(1);
  }
}
