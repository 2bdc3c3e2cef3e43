/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import java.nio.file.Path;
import java.util.List;

/**
 * Settings of a {@link ProcessRunnerLauncher}.
 *
 * @param command program and arguments; empty when it starts nothing
 * @param workFolder the runners' working directory, with one folder per run in {@code runs}; it
 *     also identifies the runners of this installation
 * @param logFolder one output file per runner
 */
public record ProcessLauncherSettings(List<String> command, Path workFolder, Path logFolder) {
  static final String LOG_SUFFIX = ".log";
  static final String HANDLE_SUFFIX = ".handle";

  public ProcessLauncherSettings {
    command = List.copyOf(command);
    workFolder = workFolder.toAbsolutePath().normalize();
    logFolder = logFolder.toAbsolutePath().normalize();
  }

  /** Contains one workspace folder per run. */
  Path runsFolder() {
    return workFolder.resolve("runs");
  }

  /** Contains the handle of a runner that was started under this name. */
  Path handle(String runner) {
    return logFolder.resolve(runner + HANDLE_SUFFIX);
  }

  Path log(String runner) {
    return logFolder.resolve(runner + LOG_SUFFIX);
  }
}
