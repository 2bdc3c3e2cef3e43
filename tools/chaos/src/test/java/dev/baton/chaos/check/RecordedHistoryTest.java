/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.ChaosHistoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks some runs of a real history, with kills, takeovers and redelivered records: clean as
 * recorded, and violated wherever a bug is planted into it. {@code -Dbaton.history=DIR} uses
 * another history.
 */
class RecordedHistoryTest {
  private static final long SEED = Long.getLong("baton.seed", 20261122);
  private static final int PLACES = 50;
  private static final Path FOLDER =
      Path.of(System.getProperty("baton.history", "src/test/resources/recorded"));

  @Test
  void shouldHoldAsItWasRecorded() throws IOException {
    ChaosVerdict verdict = ChaosVerdict.of(new ChaosHistoryStore(FOLDER).read());

    assertThat(verdict.ok()).as("%s", verdict.lines()).isTrue();
    assertThat(verdict.invariants()).allMatch(outcome -> outcome.checked() > 0);
  }

  @ParameterizedTest
  @EnumSource(SeededBug.class)
  void shouldCatchEveryMistakeThatIsPlantedIntoIt(SeededBug bug) throws IOException {
    System.out.println("-Dbaton.seed=" + SEED + ": " + bug);
    Random random = new Random(SEED + bug.ordinal());
    ChaosHistory recorded = new ChaosHistoryStore(FOLDER).read();
    for (int place = 0; place < PLACES; place++) {
      ChaosVerdict verdict = ChaosVerdict.of(bug.plant(recorded, random));

      assertThat(verdict.broken()).as("place %d: %s", place, verdict.lines()).contains(bug.breaks);
    }
  }
}
