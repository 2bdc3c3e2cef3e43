/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Measures how long a first capture of 85,000 chunks waits for the index. Not part of the build:
 * {@code ./mvnw -f checkpoint-store/pom.xml test -Dtest=ChunkFinderBench}.
 */
@QuarkusTest
class ChunkFinderBench extends StoreTest {
  private static final int CHUNKS = 85_000;
  private static final int PACKS = 64;
  private static final int ASKED = 10_000;
  private static final int ROUNDS = 5;

  @Inject Pool pool;
  @Inject ProjectRepository projects;
  @Inject ChunkFinder chunks;

  @Test
  void measure() {
    for (int round = 0; round < ROUNDS; round++) {
      byte[] digests = new byte[CHUNKS * Hash.BYTES];
      new Random().nextBytes(digests);
      String run = RunId.next();
      long start = System.nanoTime();
      assertThat(find(run, digests)).isZero();
      long asked = System.nanoTime();
      int project = get(projects.number("bench"));
      for (int i = 0; i < PACKS; i += 16) {
        List<PackRegistration> packs = packs(digests, i, i + 16);
        get(pool.withTransaction(tx -> PackRepository.register(tx, project, run, packs)));
      }
      long registered = System.nanoTime();
      assertThat(find(run, digests)).isEqualTo(CHUNKS);
      long found = System.nanoTime();
      System.out.printf(
          "%d chunks: absent %d ms, registered %d ms, found %d ms%n",
          CHUNKS,
          (asked - start) / 1_000_000,
          (registered - asked) / 1_000_000,
          (found - registered) / 1_000_000);
    }
  }

  private int find(String run, byte[] digests) {
    int present = 0;
    for (int i = 0; i < CHUNKS; i += ASKED) {
      int end = Math.min(CHUNKS, i + ASKED);
      byte[] some = Arrays.copyOfRange(digests, i * Hash.BYTES, end * Hash.BYTES);
      present +=
          (int)
              Arrays.stream(get(chunks.find(run, "bench", some)).places())
                  .filter(place -> place > 0)
                  .count();
    }
    return present;
  }

  private static List<PackRegistration> packs(byte[] digests, int from, int to) {
    int each = CHUNKS / PACKS + 1;
    List<PackRegistration> packs = new ArrayList<>();
    for (int i = from; i < to; i++) {
      byte[] mine =
          Arrays.copyOfRange(
              digests,
              Math.min(i * each, CHUNKS) * Hash.BYTES,
              Math.min((i + 1) * each, CHUNKS) * Hash.BYTES);
      packs.add(new PackRegistration(Hash.of(mine), 16 << 20, 100_000, mine));
    }
    return packs;
  }

  private static <T> T get(Uni<T> answer) {
    return answer.await().atMost(Duration.ofSeconds(30));
  }
}
