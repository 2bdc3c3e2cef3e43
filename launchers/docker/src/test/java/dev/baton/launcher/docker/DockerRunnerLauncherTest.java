/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.testkit.RunnerLauncherKit;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Runs the kit with real containers. */
class DockerRunnerLauncherTest extends RunnerLauncherKit {
  @SuppressWarnings("NullAway.Init")
  private static DockerPlace place;

  @TempDir Path folder;

  @BeforeAll
  static void connect() throws Exception {
    place = DockerPlace.open();
  }

  @AfterAll
  @SuppressWarnings("NullAway") // Null when Docker is away.
  static void disconnect() throws Exception {
    if (place != null) {
      place.close();
    }
  }

  @Override
  protected RunnerLauncher create() {
    return place.launcher(folder);
  }

  @Override
  protected RunnerLauncher createWithoutProgram() {
    return place.launcher(
        folder, place.container("baton-test/no-such-image:1", 256L << 20), place.host);
  }

  @Override
  protected int liveProcesses(String mark) {
    return place.processes(mark);
  }

  @Override
  protected void clear(String mark) {
    place.kill(mark);
  }

  @Override
  protected void freeze(String mark) {
    place.pause(mark);
  }

  /** Another container under the same name. */
  @Override
  protected String handleOfPredecessor(LaunchedRunner live) {
    return "0".repeat(64);
  }

  /** A container takes about half a second of two processors. */
  @Override
  protected int stormSize() {
    return 20;
  }
}
