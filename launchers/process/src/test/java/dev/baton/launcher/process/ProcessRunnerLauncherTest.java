/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.testkit.RunnerLauncherKit;
import java.nio.file.Path;
import java.util.Objects;
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
}
