/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.testkit.RecordingRunnerObserver;
import dev.baton.launcher.testkit.RunnerLauncherKit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the kit with real processes. */
@EnabledOnOs(OS.LINUX)
class ProcessRunnerLauncherTest extends RunnerLauncherKit {
  @TempDir Path folder;

  @Override
  protected RunnerLauncher create() {
    return ProcessPlace.launcher(folder);
  }

  @Override
  protected RunnerLauncher createWithoutProgram() {
    return ProcessPlace.launcher(folder, "/no/such/program");
  }

  @Override
  protected int liveProcesses(String mark) {
    return ProcessPlace.marked(mark).size();
  }

  @Override
  protected void clear(String mark) {
    ProcessPlace.clear(mark);
  }

  @Override
  protected void freeze(String mark) {
    ProcessPlace.freeze(mark);
  }

  @Override
  protected String handleOfPredecessor(LaunchedRunner live) {
    return ProcessPlace.predecessor(Objects.requireNonNull(live.handle()));
  }

  /**
   * The environment of a process that replaces its program is unreadable for a moment; here it is
   * for ever.
   */
  @Test
  void shouldFindARunnerWhoseEnvironmentIsNotReadable() throws Exception {
    LaunchSpec spec =
        new LaunchSpec(
            "warm-unreadable",
            null,
            0,
            "default",
            Map.of("KIT_SCRIPT", "echo started; exec env -i sleep 600"));
    ProcessRunnerLauncher first = ProcessPlace.launcher(folder);
    ProcessRunnerLauncher second = ProcessPlace.launcher(folder);
    ProcessRunnerLauncher third = ProcessPlace.launcher(folder);
    List<ProcessHandle> started = new ArrayList<>();
    try (first;
        second;
        third) {
      first.observe(new RecordingRunnerObserver(0));
      second.observe(new RecordingRunnerObserver(0));
      third.observe(new RecordingRunnerObserver(0));
      LaunchedRunner runner = first.start(spec);
      started.add(process(runner));
      awaitUnreadable(started.getFirst());

      LaunchedRunner again = second.start(spec);
      started.add(process(again));

      assertThat(again.handle()).isEqualTo(runner.handle());
      assertThat(third.adopt("warm-unreadable", null).handle()).isEqualTo(runner.handle());
    } finally {
      started.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static ProcessHandle process(LaunchedRunner runner) {
    return ProcessHandle.of(Objects.requireNonNull(runner.pid())).orElseThrow();
  }

  private static void awaitUnreadable(ProcessHandle process) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!process.info().command().orElse("").endsWith("/sleep")) {
      assertThat(System.nanoTime()).as("the replaced program").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
