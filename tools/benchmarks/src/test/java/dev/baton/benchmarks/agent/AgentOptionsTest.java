/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentOptionsTest {
  @Test
  void shouldHaveFiveHundredTurnsOnTwentyThousandFilesByDefault() {
    assertThat(AgentOptions.parse(List.of()))
        .isEqualTo(new AgentOptions(500, 60, Duration.ofMillis(500), 20_000, false, null));
  }

  @Test
  void shouldTakeAll() {
    assertThat(
            AgentOptions.parse(
                List.of(
                    "-o json --turns 20 --slow-turns 30 --slow 7 --files 1 --results out"
                        .split(" "))))
        .isEqualTo(new AgentOptions(20, 30, Duration.ofMillis(7), 1, true, Path.of("out")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--turns 19 | --turns 19 is not a number from 20 to 2000",
        "--slow-turns x | --slow-turns x is not a number from 20 to 2000",
        "--slow 0 | --slow 0 is not a number from 1 to 10000",
        "--files 200001 | --files 200001 is not a number from 1 to 200000",
        "--quick | unknown argument --quick; see --help",
      })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> AgentOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
