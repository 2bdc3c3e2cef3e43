/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.kubernetes.KubernetesLauncherSettings;
import dev.baton.launcher.kubernetes.KubernetesRunnerLauncher;
import dev.baton.launcher.kubernetes.PodSettings;
import dev.baton.launcher.kubernetes.PodVolume;
import dev.baton.orchestrator.config.OrchestratorConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Creates launchers of pods. A class of its own, so that the Kubernetes client is loaded only where
 * one is configured.
 */
final class KubernetesLauncherCreator {
  private static final String INSTALLATION = "baton";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration RELIST = Duration.ofSeconds(30);

  /** A runner needs 27 s to hand its runs over. */
  private static final Duration GRACE = Duration.ofSeconds(30);

  private static final String MEMORY = "4g";
  private static final String WORK = "2g";
  private static final String TMP = "512m";
  private static final double REQUESTED_CPUS = 0.25;

  private KubernetesLauncherCreator() {}

  /**
   * @param settings validated
   * @param data receives the end of the output of each pod, in a folder
   */
  static RunnerLauncher create(OrchestratorConfig.LauncherSettings settings, Path data) {
    List<String> command = StatedSettings.lines(settings.command());
    Map<String, PodSettings> pools = new HashMap<>();
    settings
        .pools()
        .forEach(
            (name, pool) ->
                pools.put(
                    name,
                    pod(
                        command,
                        new StatedSettings<>(pool.container(), settings.container()),
                        new StatedSettings<>(pool.pod(), settings.pod()))));
    OrchestratorConfig.KubernetesSettings cluster = settings.kubernetes();
    return new KubernetesRunnerLauncher(
        new KubernetesLauncherSettings(
            cluster.kubeconfig(),
            cluster.context(),
            cluster.namespace(),
            cluster.installation().orElse(INSTALLATION),
            pod(
                command,
                new StatedSettings<>(settings.container(), settings.container()),
                new StatedSettings<>(settings.pod(), settings.pod())),
            pools,
            data.resolve("pods"),
            cluster.timeout().orElse(TIMEOUT),
            RELIST));
  }

  private static PodSettings pod(
      List<String> command,
      StatedSettings<OrchestratorConfig.ContainerSettings> container,
      StatedSettings<OrchestratorConfig.PodSettings> pod) {
    String memory = container.of(OrchestratorConfig.ContainerSettings::memory).orElse(MEMORY);
    double cpus =
        container.pool().cpus().isPresent()
            ? container.pool().cpus().getAsDouble()
            : container.launcher().cpus().orElse(0);
    double requested =
        pod.pool().requestedCpus().isPresent()
            ? pod.pool().requestedCpus().getAsDouble()
            : pod.launcher().requestedCpus().orElse(REQUESTED_CPUS);
    return new PodSettings(
        container.of(OrchestratorConfig.ContainerSettings::image).orElseThrow(),
        command,
        StatedSettings.bytes(memory),
        StatedSettings.bytes(
            pod.of(OrchestratorConfig.PodSettings::requestedMemory).orElse(memory)),
        cpus,
        cpus > 0 ? Math.min(requested, cpus) : requested,
        StatedSettings.bytes(
            container.of(OrchestratorConfig.ContainerSettings::workSize).orElse(WORK)),
        StatedSettings.bytes(
            container.of(OrchestratorConfig.ContainerSettings::tmpSize).orElse(TMP)),
        container.of(OrchestratorConfig.ContainerSettings::readOnly).orElse(true),
        container.of(OrchestratorConfig.ContainerSettings::pull).orElse(true),
        pod.of(OrchestratorConfig.PodSettings::grace).orElse(GRACE),
        StatedSettings.pairs(container.of(OrchestratorConfig.ContainerSettings::environment)),
        pod.of(OrchestratorConfig.PodSettings::serviceAccount),
        pod.of(OrchestratorConfig.PodSettings::tokenAudience),
        StatedSettings.lines(pod.of(OrchestratorConfig.PodSettings::pullSecrets)),
        StatedSettings.lines(pod.of(OrchestratorConfig.PodSettings::volumes)).stream()
            .map(PodVolume::parse)
            .toList(),
        StatedSettings.pairs(pod.of(OrchestratorConfig.PodSettings::nodeSelector)),
        StatedSettings.lines(pod.of(OrchestratorConfig.PodSettings::tolerations)),
        pod.of(OrchestratorConfig.PodSettings::priorityClass));
  }
}
