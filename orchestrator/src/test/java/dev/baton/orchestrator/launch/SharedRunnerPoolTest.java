/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.gateway.AttachTokenSigner;
import dev.baton.orchestrator.lease.LeaseIssuer;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TestConfigFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class SharedRunnerPoolTest {
  private static final int SIZE = 3;

  @Inject LaunchedRunnerRepository table;
  @Inject LaunchedRunnerWatcher watch;
  @Inject LeaseIssuer leases;
  @Inject AttachTokenSigner tokens;
  @Inject LaunchLimiter room;
  @Inject Event<RunnerSlotsFreedEvent> freed;
  @Inject OrchestratorTestEnvironment bed;

  @TempDir Path data;

  private SharedRunnerPool pool(LaunchLimiter startRoom, OrchestratorConfig config) {
    LauncherRegistry launchers = new LauncherRegistry(config, new RunnerLauncherFactory());
    launchers.launchers().values().forEach(launcher -> launcher.observe(watch));
    return new SharedRunnerPool(
        launchers,
        new RunnerStarter(launchers, table, watch),
        new RunnerEnvironmentFactory(
            config,
            leases,
            tokens,
            "127.0.0.1:1",
            org.eclipse.microprofile.config.ConfigProvider.getConfig()),
        watch,
        new LaunchPermitFactory(launchers, new LauncherCapacityLimiter(freed), startRoom),
        config);
  }

  private OrchestratorConfig config(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("baton.data", data.toString());
    settings.put("baton.launcher.pool.size", Integer.toString(SIZE));
    settings.put("baton.launcher.process.command", "/bin/sh\n-c\nexec sleep 600");
    return TestConfigFactory.of(settings);
  }

  private static void await(String what, BooleanSupplier wanted) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private Map<String, LaunchedRunnerWatcher.WatchedRunner> runners() {
    Map<String, LaunchedRunnerWatcher.WatchedRunner> ofPools = new HashMap<>(watch.watched());
    ofPools.keySet().removeIf(id -> !id.startsWith("pool-"));
    return ofPools;
  }

  private static void kill(String runner, LaunchedRunnerWatcher.WatchedRunner known) {
    known.launcher().kill(runner);
  }

  private void end(SharedRunnerPool pool) throws InterruptedException {
    pool.stop();
    await(
        "all runners have ended",
        () -> {
          runners().forEach(SharedRunnerPoolTest::kill);
          return runners().isEmpty();
        });
  }

  @Test
  void shouldFillUpAfterAStartThatFailed() throws Exception {
    SharedRunnerPool pool = pool(room, config(Map.of()));
    // A file at the path of the folder for the runners' output.
    Path inTheWay = Files.createFile(data.resolve("runners"));
    try {
      pool.fill();
      assertThat(runners()).isEmpty();

      Files.delete(inTheWay);

      await("all runners", () -> runners().size() == SIZE);
    } finally {
      end(pool);
    }
  }

  @Test
  void shouldStartTheNextWhenOneHasAttachedOrEnded() throws Exception {
    OrchestratorConfig config = config(Map.of("baton.launcher.starting", "1"));
    SharedRunnerPool pool =
        pool(new LaunchLimiter(config, freed, new SimpleMeterRegistry()), config);
    try {
      pool.fill();
      Set<String> started = runners().keySet();
      assertThat(started).hasSize(1);

      try (ScriptedRunner attached =
          new ScriptedRunner(bed.port(), started.iterator().next(), "shared", 1)) {
        Set<String> two = awaitOneMore(pool, started);

        String second = two.stream().filter(id -> !started.contains(id)).findFirst().orElseThrow();
        await(
            "the second has ended",
            () -> {
              // Listed from before its start; then there is nothing to kill yet.
              Optional.ofNullable(runners().get(second)).ifPresent(known -> kill(second, known));
              return !runners().containsKey(second);
            });
        awaitOneMore(pool, started);
      }
    } finally {
      end(pool);
    }
  }

  /** Notifies the pool as the container would, which does not manage this instance. */
  private Set<String> awaitOneMore(SharedRunnerPool pool, Set<String> before)
      throws InterruptedException {
    await(
        "one more than " + before,
        () -> {
          pool.onRoom(new RunnerSlotsFreedEvent());
          return runners().size() > before.size();
        });
    Set<String> now = runners().keySet();
    assertThat(now).hasSize(before.size() + 1).containsAll(before);
    return now;
  }
}
