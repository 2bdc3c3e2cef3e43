/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.shells;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellsOptionsTest {
  @Test
  void shouldHaveDefaults() {
    int processors = Runtime.getRuntime().availableProcessors();

    assertThat(ShellsOptions.parse(List.of()))
        .isEqualTo(
            new ShellsOptions(
                3, 1, 200, 10, Math.max(4, 2 * processors), false, false, false, Map.of(), null));
    assertThat(ShellsOptions.startingRunners(1)).isEqualTo(4);
    assertThat(ShellsOptions.startingRunners(8)).isEqualTo(16);
  }

  @Test
  void shouldReadAllOptions() {
    ShellsOptions options =
        ShellsOptions.parse(
            List.of(
                ("-o json --rounds 2 --warmup 0 --runs 4 --steps 500 --parallel 8 --shared --retries"
                        + " --env orchestrator:A=1")
                    .split(" ")));

    assertThat(options)
        .isEqualTo(
            new ShellsOptions(
                2, 0, 4, 500, 8, true, true, true, Map.of("orchestrator", Map.of("A", "1")), null));
    assertThat(options.processes()).isEqualTo(4_000);
    assertThat(options.burstSteps()).isEqualTo(2_000);
  }

  @ParameterizedTest
  @CsvSource({
    "--rounds 0, --rounds 0 is not a number from 1 to 100",
    "--runs 1001, --runs 1001 is not a number from 1 to 1000",
    "--parallel, --parallel has no value; see --help",
    "--fast, unknown argument --fast; see --help",
  })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> ShellsOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
