/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.process.ProcessLauncherSettings;
import dev.baton.launcher.process.ProcessRunnerLauncher;
import dev.baton.orchestrator.config.OrchestratorConfig;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Creates launchers by their configured type. */
@ApplicationScoped
public class RunnerLauncherFactory {
  /** Types of launchers; {@link #ATTACHED} starts nothing. */
  public static final List<String> TYPES = List.of("process", "docker", "kubernetes", "attached");

  /** The type of a launcher whose runners are started externally. */
  public static final String ATTACHED = "attached";

  private static final String DOCKER = "docker";
  private static final String KUBERNETES = "kubernetes";

  /**
   * Creates a launcher. One of processes without a command starts nothing, but kills what runners
   * that were started externally leave on this host.
   *
   * @param settings validated
   * @return empty for runners that attach by themselves
   */
  public Optional<RunnerLauncher> create(
      OrchestratorConfig config, OrchestratorConfig.LauncherSettings settings) {
    Path data = config.data().toAbsolutePath();
    if (settings.type().equals(DOCKER)) {
      return Optional.of(DockerLauncherCreator.create(settings, data));
    }
    if (settings.type().equals(KUBERNETES)) {
      return Optional.of(KubernetesLauncherCreator.create(settings, data));
    }
    List<String> command =
        settings.command().or(() -> config.launcher().process().command()).stream()
            .flatMap(String::lines)
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .toList();
    return settings.type().equals(ATTACHED)
        ? Optional.empty()
        : Optional.of(
            new ProcessRunnerLauncher(
                new ProcessLauncherSettings(
                    command, data.resolve("work"), data.resolve("runners"))));
  }
}
