/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.process.ProcessIdentity;
import dev.baton.standalone.StandaloneStack;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerProcessFinderTest {
  @TempDir Path data;

  /** When a runner starts a step, its child has the same environment for a moment. */
  @Test
  void shouldNotTakeARunnersChildForARunner() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; wait").redirectErrorStream(true);
    builder.environment().put(StandaloneStack.MARK, data.toString());
    builder.environment().put("BATON_RUNNER_ID", "it");
    Process runner = builder.start();
    long child = 0;
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(runner.getInputStream(), StandardCharsets.UTF_8))) {
      child = Long.parseLong(out.readLine());

      List<ProcessIdentity> found = new RunnerProcessFinder(data).living();

      assertThat(found).extracting(ProcessIdentity::pid).containsExactly(runner.pid());
    } finally {
      ProcessHandle.of(child).ifPresent(ProcessHandle::destroyForcibly);
      runner.destroyForcibly();
      assertThat(runner.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
  }
}
