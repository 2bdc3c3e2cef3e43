/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Tests that no more runner processes start at once than the limit allows. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class LaunchLimiterTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject LaunchLimiter room;
  @Inject LaunchedRunnerRepository table;
  @Inject LaunchedRunnerWatcher watch;
  @Inject Pool pool;

  private static void await(String what, BooleanSupplier wanted) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private boolean awaitsRoom(String run) {
    return pool.preparedQuery("SELECT 1 FROM orchestrator.outbox WHERE run = $1 AND awaits_slot")
            .execute(Tuple.of(run))
            .await()
            .indefinitely()
            .size()
        == 1;
  }

  @Test
  void shouldLetARunWaitUntilThereIsRoomForItsStart() throws Exception {
    List<LaunchLimiter.Start> others = new ArrayList<>();
    for (Optional<LaunchLimiter.Start> one = room.take(); one.isPresent(); one = room.take()) {
      others.add(one.get());
    }
    bed.api().workflow("start-room", false);
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"start-room\"}");
    String run = created.json().get("id").textValue();
    try {
      await(run + " waits for room", () -> awaitsRoom(run));
      assertThat(table.find(run + "-1")).isEmpty();

      others.forEach(LaunchLimiter.Start::end);

      bed.api().await(run, shown -> shown.at("/runner/id").asText().equals(run + "-1"));
      await("its process", () -> watch.watched().containsKey(run + "-1"));
    } finally {
      others.forEach(LaunchLimiter.Start::end);
      bed.api().json("/runs/" + run + "/cancel", "{}");
    }
  }
}
