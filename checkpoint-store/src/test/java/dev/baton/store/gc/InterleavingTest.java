/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.packs.ChunkFinder;
import dev.baton.store.packs.PackUploadRegistry;
import dev.baton.store.packs.ProjectRepository;
import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * Runs a runner that creates a checkpoint and a collector that deletes packs, step by step on two
 * connections, in many orders. In every order a committed checkpoint has its pack.
 */
@QuarkusTest
class InterleavingTest extends StoreTest {
  private static final int ORDERS = 150;

  /**
   * After this time a step counts as blocked by the other side. A wrong guess only changes the
   * order.
   */
  private static final long WAITS_MILLIS = 25;

  private static final int MOST_STEPS = 200;

  @Inject Pool pool;
  @Inject ProjectRepository projects;
  @Inject ChunkFinder chunks;
  @Inject PackUploadRegistry uploads;

  /** One of the two sides. */
  interface Actor {
    boolean isDone();

    Uni<?> step();
  }

  @Test
  void shouldNeverLoseAPackOfACommittedCheckpoint() {
    long first = new Random().nextLong();
    for (long seed = first; seed < first + ORDERS; seed++) {
      PackRaceScenario scenario = play(seed, false);

      assertThat(scenario.runner().committed()).as("committed, seed %d", seed).isTrue();
      assertThat(scenario.packIsThere()).as("the pack is there, seed %d", seed).isTrue();
    }
  }

  /** Proves that the test above can detect the fault. */
  @Test
  void shouldSeeACollectorThatLooksBeforeItLocks() {
    long first = new Random().nextLong();
    List<Long> lost = new ArrayList<>();
    for (long seed = first; seed < first + ORDERS && lost.isEmpty(); seed++) {
      if (!play(seed, true).packIsThere()) {
        lost.add(seed);
      }
    }

    assertThat(lost).as("orders in which a pack was lost, from seed %d", first).isNotEmpty();
  }

  private PackRaceScenario play(long seed, boolean careless) {
    Random random = new Random(seed);
    PackRaceScenario scenario =
        PackRaceScenario.begin(pool, projects, chunks, uploads, random, careless);
    List<Actor> actors = List.of(scenario.runner(), scenario.collector());
    List<CompletableFuture<?>> under = new ArrayList<>();
    under.add(CompletableFuture.completedFuture(null));
    under.add(CompletableFuture.completedFuture(null));
    for (int steps = 0; ; steps++) {
      assertThat(steps).as("steps, seed %d", seed).isLessThan(MOST_STEPS);
      int pick = random.nextInt(2);
      int turn = isFree(actors.get(pick), under.get(pick)) ? pick : 1 - pick;
      if (isFree(actors.get(turn), under.get(turn))) {
        under.set(turn, actors.get(turn).step().subscribeAsCompletionStage());
      } else if (actors.stream().allMatch(Actor::isDone)
          && under.stream().allMatch(CompletableFuture::isDone)) {
        scenario.close();
        return scenario;
      }
      await(under.get(turn));
    }
  }

  private static boolean isFree(Actor actor, CompletableFuture<?> under) {
    return under.isDone() && !actor.isDone();
  }

  private static void await(CompletableFuture<?> step) {
    try {
      step.get(WAITS_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return; // blocked by the other side
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  static <T> T get(Uni<T> answer) {
    return answer.await().atMost(Duration.ofSeconds(20));
  }
}
