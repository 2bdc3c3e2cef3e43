/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

/**
 * What a launcher can do.
 *
 * @param canStart whether it is configured to start runners; otherwise it only kills
 * @param outlivesOrchestrator whether its runners continue after an orderly stop of the
 *     orchestrator; otherwise the orchestrator stops them first. They always outlive its crash
 * @param canKill whether {@link RunnerLauncher#kill} has an effect; otherwise older epochs are only
 *     fenced
 * @param exitCodeAfterAdoption whether the exit code of an adopted runner is known
 * @param loadsHost whether starting a runner takes processor time of the orchestrator's host, so
 *     that the number of simultaneous starts is limited
 * @param files where the workspaces of its runners are
 */
public record LauncherCapabilities(
    boolean canStart,
    boolean outlivesOrchestrator,
    boolean canKill,
    boolean exitCodeAfterAdoption,
    boolean loadsHost,
    FileLocation files) {
  /** Where the workspaces of runners are. */
  public enum FileLocation {
    /** On the host of the orchestrator, and they survive their runner. */
    HOST,
    /** With the runner, and they end with it. */
    RUNNER
  }
}
