/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs each target on its corpus, which has every input that once was a fault, and on seeded
 * changes of it. {@code tools/fuzzers/run} fuzzes with Jazzer.
 */
class CorpusTest {
  private static final int MAX_INPUT = 64 << 10;
  private static final long NANOS = 1_000_000L * Integer.getInteger("baton.fuzz.millis", 100);

  static Stream<FuzzTarget> targets() {
    return FuzzTargetRegistry.all().stream();
  }

  @ParameterizedTest
  @MethodSource("targets")
  void shouldDecodeOrRejectTheCorpusAndItsMutations(FuzzTarget target) throws Exception {
    List<byte[]> seeds = new ArrayList<>();
    for (Path file : target.inputs()) {
      byte[] input = Files.readAllBytes(file);
      assertThat(input).as(file.toString()).hasSizeLessThanOrEqualTo(MAX_INPUT);
      seeds.add(input);
      run(target, input, file.getFileName().toString());
    }
    assertThat(seeds).as("corpus of %s", target).isNotEmpty();

    long seed = Long.getLong("baton.fuzz.seed", System.nanoTime());
    InputMutator mutator = new InputMutator(seeds, seed);
    long end = System.nanoTime() + NANOS;
    for (int round = 0; System.nanoTime() < end; round++) {
      run(target, mutator.next(), "seed %d, round %d".formatted(seed, round));
    }
  }

  private static void run(FuzzTarget target, byte[] input, String origin) {
    try {
      target.run(input);
    } catch (Exception | Error e) {
      throw new AssertionError(
          "%s: %s: input in base64: %s"
              .formatted(target, origin, Base64.getEncoder().encodeToString(input)),
          e);
    }
  }

  @Test
  void shouldHaveACorpusOfEachTargetOnly() throws IOException {
    try (Stream<Path> folders = Files.list(Path.of("src/test/resources/corpus"))) {
      assertThat(folders.map(folder -> folder.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(targets().map(FuzzTarget::name).toList());
    }
  }

  @Test
  void shouldReportWhatExceedsABoundOrThrows() {
    FuzzTarget greedy =
        new FuzzTarget(
            "greedy",
            input -> {
              for (int i = 0; i < 1_100; i++) {
                FuzzAssert.require(new byte[1 << 20].length > 0, "allocates");
              }
            });

    assertThatThrownBy(() -> greedy.run(new byte[1]))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("1 bytes of input");
    assertThatThrownBy(
            () -> run(new FuzzTarget("broken", input -> input[9]++), new byte[1], "planted"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("AA==")
        .hasCauseInstanceOf(ArrayIndexOutOfBoundsException.class);
  }
}
