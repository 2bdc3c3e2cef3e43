/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.testing.Servers;
import dev.baton.orchestrator.testing.Settings;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QuarkusTest
@QuarkusTestResource(Servers.class)
class SharedPoolTest {
  private static final int SIZE = 3;

  @Inject RunnerTable table;
  @Inject RunnerWatch watch;
  @Inject StartRoom room;

  @Test
  void shouldFillUpAfterAStartThatFailed(@TempDir Path data) throws IOException {
    OrchestratorConfig config =
        Settings.of(
            Map.of(
                "baton.data", data.toString(),
                "baton.launcher.pool.size", Integer.toString(SIZE),
                "baton.launcher.process.command", "/bin/sh\n-c\nexec sleep 600"));
    SharedPool pool =
        new SharedPool(new RunnerProcesses(config, "127.0.0.1:1"), table, watch, room, config);
    // Where the folder for what they print should be.
    Path inTheWay = Files.createFile(data.resolve("runners"));
    try {
      pool.fill();
      assertThat(runners()).isEmpty();

      Files.delete(inTheWay);

      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (runners().size() < SIZE) {
        assertThat(System.nanoTime()).as("runners: " + runners()).isLessThan(end);
        LockSupport.parkNanos(20_000_000);
      }
    } finally {
      pool.stop();
      runners().forEach(ProcessHandle::destroyForcibly);
      runners().forEach(runner -> runner.onExit().join());
    }
  }

  private List<ProcessHandle> runners() {
    return watch.watched().entrySet().stream()
        .filter(runner -> runner.getKey().startsWith("pool-"))
        .map(Map.Entry::getValue)
        .toList();
  }
}
