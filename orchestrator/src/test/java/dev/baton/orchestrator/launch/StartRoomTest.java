/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.outbox.SlotsFreed;
import dev.baton.orchestrator.testing.Api;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.Servers;
import dev.baton.orchestrator.testing.Settings;
import dev.baton.orchestrator.testing.Testbed;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No more runner processes start at once than may. */
@QuarkusTest
@QuarkusTestResource(Servers.class)
class StartRoomTest {
  @Inject Testbed bed;
  @Inject StartRoom room;
  @Inject RunnerTable table;
  @Inject RunnerWatch watch;
  @Inject Event<SlotsFreed> freed;
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
    List<StartRoom.Start> others = new ArrayList<>();
    for (Optional<StartRoom.Start> one = room.take(); one.isPresent(); one = room.take()) {
      others.add(one.get());
    }
    bed.api().workflow("start-room", false);
    Api.Answer created = bed.api().json("/runs", "{\"workflow\":\"start-room\"}");
    String run = created.json().get("id").textValue();
    try {
      await(run + " waits for room", () -> awaitsRoom(run));
      assertThat(table.find(run + "-1")).isEmpty();

      others.forEach(StartRoom.Start::end);

      bed.api().await(run, shown -> shown.at("/runner/id").asText().equals(run + "-1"));
      await("its process", () -> watch.watched().containsKey(run + "-1"));
    } finally {
      others.forEach(StartRoom.Start::end);
      bed.api().json("/runs/" + run + "/cancel", "{}");
    }
  }

  @Test
  void shouldStartTheNextOfAPoolWhenOneHasAttachedOrEnded(@TempDir Path data) throws Exception {
    OrchestratorConfig config =
        Settings.of(
            Map.of(
                "baton.data", data.toString(),
                "baton.launcher.pool.size", "3",
                "baton.launcher.starting", "1",
                "baton.launcher.process.command", "/bin/sh\n-c\nexec sleep 600"));
    StartRoom one = new StartRoom(config, freed, new SimpleMeterRegistry());
    SharedPool shared =
        new SharedPool(new RunnerProcesses(config, "127.0.0.1:1"), table, watch, one, config);
    try {
      shared.fill();
      Set<String> started = runners();
      assertThat(started).hasSize(1);

      try (ScriptedRunner attached =
          new ScriptedRunner(bed.port(), started.iterator().next(), "shared", 1)) {
        Set<String> two = awaitOneMore(shared, started);

        String second = two.stream().filter(id -> !started.contains(id)).findFirst().orElseThrow();
        Objects.requireNonNull(watch.watched().get(second)).destroyForcibly();
        await("the second has ended", () -> !watch.watched().containsKey(second));
        awaitOneMore(shared, started);
      }
    } finally {
      shared.stop();
      runners().stream()
          .map(id -> watch.watched().get(id))
          .filter(Objects::nonNull)
          .forEach(ProcessHandle::destroyForcibly);
    }
  }

  /** As the container does, which does not know this pool. */
  private Set<String> awaitOneMore(SharedPool pool, Set<String> before)
      throws InterruptedException {
    await(
        "one more than " + before,
        () -> {
          pool.onRoom(new SlotsFreed());
          return runners().size() > before.size();
        });
    Set<String> now = runners();
    assertThat(now).hasSize(before.size() + 1).containsAll(before);
    return now;
  }

  private Set<String> runners() {
    return watch.watched().keySet().stream()
        .filter(id -> id.startsWith("pool-"))
        .collect(Collectors.toSet());
  }
}
