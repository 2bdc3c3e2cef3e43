/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the fuzzing targets with mutated valid bytes, seeded; {@link FuzzRun} runs the fuzzer. */
class MutationTest {
  private static final int ROUNDS = 20_000;

  @TestFactory
  Stream<DynamicTest> shouldReadOrRefuseAnyBytes() throws Exception {
    return FuzzTarget.all().stream()
        .map(target -> dynamicTest(target.type().getSimpleName(), () -> run(target)));
  }

  private static void run(FuzzTarget target) {
    List<byte[]> seeds = target.seeds();
    assertThat(seeds).isNotEmpty();
    seeds.forEach(target.run());
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = mutated(seeds.get(random.nextInt(seeds.size())), random);
      try {
        target.run().accept(bytes);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed %d, round %d".formatted(seed, round), e);
      }
    }
  }

  private static byte[] mutated(byte[] bytes, SplittableRandom random) {
    byte[] result =
        random.nextInt(8) == 0
            ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 10))
            : bytes.clone();
    for (int i = random.nextInt(4); i >= 0 && result.length > 0; i--) {
      // The most important bytes are at the beginning.
      int near = Math.min(result.length, random.nextBoolean() ? 64 : result.length);
      int at = random.nextInt(near);
      result[at] =
          switch (random.nextInt(4)) {
            case 0 -> (byte) (result[at] ^ 1 << random.nextInt(8));
            case 1 -> (byte) -1;
            case 2 -> (byte) 0x80;
            default -> (byte) random.nextInt(256);
          };
    }
    return result;
  }
}
