/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepsOptionsTest {

  @Test
  void shouldHaveDefaults() {
    StepsOptions options = StepsOptions.parse(List.of());

    assertThat(options)
        .isEqualTo(
            new StepsOptions(
                3,
                8,
                false,
                MeasuredStepKind.TRANSFORM,
                false,
                true,
                false,
                null,
                null,
                Map.of(),
                null,
                null));
  }

  @Test
  void shouldTakeAll() {
    StepsOptions options =
        StepsOptions.parse(
            List.of(
                ("-o json --rounds 5 --warmup 0 --no-restate --submit each"
                        + " --server http://127.0.0.1:7070/ --kafka 127.0.0.1:9092"
                        + " --env kafka:A=1 --env kafka:B=x=y")
                    .split(" ")));

    assertThat(options.json()).isTrue();
    assertThat(options.rounds()).isEqualTo(5);
    assertThat(options.warmup()).isZero();
    assertThat(options.restate()).isFalse();
    assertThat(options.submitEach()).isTrue();
    assertThat(options.server()).isEqualTo(URI.create("http://127.0.0.1:7070"));
    assertThat(options.kafka()).isEqualTo("127.0.0.1:9092");
    assertThat(options.environment()).isEqualTo(Map.of("kafka", Map.of("A", "1", "B", "x=y")));
  }

  @Test
  void shouldTakeTheKindOfStepsAndOfTheStack() {
    StepsOptions options = StepsOptions.parse(List.of("--kind", "wait", "--compact"));

    assertThat(options.kind()).isEqualTo(MeasuredStepKind.WAIT);
    assertThat(options.compact()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "--rounds 0, --rounds 0 is not a number from 1 to 100",
    "--rounds 101, --rounds 101 is not a number from 1 to 100",
    "--warmup x, --warmup x is not a number from 0 to 100",
    "--rounds, --rounds has no value; see --help",
    "-o xml, -o xml is neither table nor json",
    "--kind sleep, --kind sleep is neither transform nor wait",
    "--compact --server http://127.0.0.1:1 --kafka a:1, '--compact starts a stack, --server names one; see --help'",
    "--submit all, --submit all is neither batch nor each",
    "--server http://127.0.0.1:1, --server and --kafka go together; see --help",
    "--server nowhere --kafka a:1, --server nowhere does not match http://host:port",
    "--env store:A=1, --env store:A=1 does not match component:NAME=value",
    "--fast, unknown argument --fast; see --help",
  })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> StepsOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
