/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.fork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.benchmarks.fork.ForkOptions.Parent;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ForkOptionsTest {
  @Test
  void shouldForkFourParentsByDefault() {
    ForkOptions options = ForkOptions.parse(List.of());

    assertThat(options.parents()).hasSize(4).startsWith(new Parent(10, 1));
    assertThat(options.json()).isFalse();
  }

  @Test
  void shouldTakeAll() {
    ForkOptions options =
        ForkOptions.parse(
            List.of("-o json --parents 1:10000,100000:1 --samples 3 --results out".split(" ")));

    assertThat(options)
        .isEqualTo(
            new ForkOptions(
                List.of(new Parent(1, 10_000), new Parent(100_000, 1)), 3, true, Path.of("out")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--parents 10 | --parents 10 does not match STEPS:MB",
        "--parents 10:1, | --parents  does not match STEPS:MB",
        "--parents 0:1 | --parents 0:1: 0 is not a number from 1 to 100000",
        "--parents 1:x | --parents 1:x: x is not a number from 1 to 10000",
        "--samples 0 | --samples 0 is not a number from 1 to 1000",
        "--fast | unknown argument --fast; see --help",
      })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> ForkOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
