/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.benchmarks.tree.TreeShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnapshotOptionsTest {

  @Test
  void shouldHaveDefaults() {
    assertThat(SnapshotOptions.parse(List.of()))
        .isEqualTo(
            new SnapshotOptions(
                5,
                false,
                null,
                new TreeShape(1, 85_000),
                List.of("baton", "tar", "restic", "borg"),
                Map.of(),
                null,
                null,
                null));
  }

  @Test
  void shouldTakeAll() {
    SnapshotOptions options =
        SnapshotOptions.parse(
            List.of(
                ("-o json --rounds 2 --files 1000 --seed 9 --tools tar,baton --env s3:A=1"
                        + " --work /w --profile /p --results /r --tree /t")
                    .split(" ")));

    assertThat(options)
        .isEqualTo(
            new SnapshotOptions(
                2,
                true,
                Path.of("/t"),
                new TreeShape(9, 1_000),
                List.of("baton", "tar"),
                Map.of("s3", Map.of("A", "1")),
                Path.of("/w"),
                Path.of("/p"),
                Path.of("/r")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--rounds 0| --rounds 0 is not a number from 1 to 100",
        "--files 99| --files 99 is not a number from 100 to 2000000",
        "--seed -1| --seed -1 is not a number from 0 to 999999999",
        "--tree| --tree has no value; see --help",
        "--tools tar,zip| --tools tar,zip is not a subset of baton, tar, restic, borg",
        "-o xml| -o xml is neither table nor json",
        "--fast| unknown argument --fast; see --help",
      })
  void shouldNameWhatIsWrong(String arguments, String message) {
    assertThatThrownBy(() -> SnapshotOptions.parse(List.of(arguments.split(" "))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
