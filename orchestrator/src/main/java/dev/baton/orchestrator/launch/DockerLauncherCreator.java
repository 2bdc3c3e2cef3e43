/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.docker.ContainerSettings;
import dev.baton.launcher.docker.DockerLauncherSettings;
import dev.baton.launcher.docker.DockerRunnerLauncher;
import dev.baton.orchestrator.config.OrchestratorConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Creates launchers of containers. A class of its own, so that the Docker client is loaded only
 * where one is configured.
 */
final class DockerLauncherCreator {
  private static final URI LOCAL = URI.create("unix:///var/run/docker.sock");
  private static final String INSTALLATION = "baton";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RELIST = Duration.ofSeconds(30);
  private static final String MEMORY = "4g";
  private static final String WORK = "2g";
  private static final String TMP = "512m";
  private static final int PIDS = 4_096;

  /** The user of Baton's images. */
  private static final String OWNED = "exec,mode=0700,uid=10001,gid=10001,size=";

  private DockerLauncherCreator() {}

  /**
   * @param settings validated
   * @param data receives the end of the output of each container, in a folder
   */
  static RunnerLauncher create(OrchestratorConfig.LauncherSettings settings, Path data) {
    List<String> command = StatedSettings.lines(settings.command());
    Map<String, ContainerSettings> pools = new HashMap<>();
    settings
        .pools()
        .forEach(
            (name, pool) ->
                pools.put(name, container(command, pool.container(), settings.container())));
    return new DockerRunnerLauncher(
        new DockerLauncherSettings(
            settings.docker().host().orElse(LOCAL),
            settings.docker().installation().orElse(INSTALLATION),
            container(command, settings.container(), settings.container()),
            pools,
            data.resolve("containers"),
            settings.docker().timeout().orElse(TIMEOUT),
            RELIST));
  }

  /** What the pool does not set is that of its launcher. */
  private static ContainerSettings container(
      List<String> command,
      OrchestratorConfig.ContainerSettings pool,
      OrchestratorConfig.ContainerSettings launcher) {
    StatedSettings<OrchestratorConfig.ContainerSettings> stated =
        new StatedSettings<>(pool, launcher);
    String tmp = stated.of(OrchestratorConfig.ContainerSettings::tmpSize).orElse(TMP);
    Map<String, String> tmpfs =
        Map.of(
            "/work",
            OWNED + stated.of(OrchestratorConfig.ContainerSettings::workSize).orElse(WORK),
            "/home/baton",
            OWNED + tmp,
            "/tmp",
            "exec,mode=1777,size=" + tmp);
    return new ContainerSettings(
        stated.of(OrchestratorConfig.ContainerSettings::image).orElseThrow(),
        command,
        stated.of(OrchestratorConfig.ContainerSettings::network),
        StatedSettings.bytes(
            stated.of(OrchestratorConfig.ContainerSettings::memory).orElse(MEMORY)),
        pool.cpus().isPresent() ? pool.cpus().getAsDouble() : launcher.cpus().orElse(0),
        pool.pids().isPresent() ? pool.pids().getAsInt() : launcher.pids().orElse(PIDS),
        stated.of(OrchestratorConfig.ContainerSettings::readOnly).orElse(true),
        tmpfs,
        StatedSettings.pairs(stated.of(OrchestratorConfig.ContainerSettings::environment)),
        StatedSettings.lines(stated.of(OrchestratorConfig.ContainerSettings::volumes)),
        stated.of(OrchestratorConfig.ContainerSettings::init).orElse(false),
        stated.of(OrchestratorConfig.ContainerSettings::pull).orElse(true));
  }
}
