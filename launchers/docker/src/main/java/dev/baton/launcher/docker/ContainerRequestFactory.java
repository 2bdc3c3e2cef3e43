/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.RestartPolicy;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.RunnerVariables;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Builds the requests that create containers. Each container has no capabilities, cannot get any,
 * is limited in memory, processors and processes, is never restarted, and is kept after its end
 * until its exit and log were read.
 */
final class ContainerRequestFactory {
  private static final long NANO = 1_000_000_000;

  /** What a runner gets between SIGTERM and SIGKILL when Docker stops. */
  private static final Duration STOP = Duration.ofSeconds(30);

  /** Bounds the disk that the output of one container uses. */
  private static final Map<String, String> LOG_LIMITS = Map.of("max-size", "20m", "max-file", "2");

  private final String installation;

  ContainerRequestFactory(String installation) {
    this.installation = installation;
  }

  CreateContainerCmd create(DockerClient client, LaunchSpec spec, ContainerSettings settings) {
    HostConfig host =
        HostConfig.newHostConfig()
            .withCapDrop(Capability.ALL)
            .withSecurityOpts(List.of("no-new-privileges=true"))
            .withReadonlyRootfs(settings.isReadOnly())
            .withTmpFs(settings.tmpfs())
            .withBinds(settings.volumes().stream().map(Bind::parse).toList())
            .withPidsLimit(settings.pids())
            .withInit(settings.hasInit())
            .withAutoRemove(false)
            .withRestartPolicy(RestartPolicy.noRestart())
            .withLogConfig(new LogConfig(LogConfig.LoggingType.JSON_FILE, LOG_LIMITS));
    if (settings.memoryBytes() > 0) {
      host.withMemory(settings.memoryBytes()).withMemorySwap(settings.memoryBytes());
    }
    if (settings.cpus() > 0) {
      host.withNanoCPUs(Math.round(settings.cpus() * NANO));
    }
    settings.network().ifPresent(host::withNetworkMode);
    CreateContainerCmd request =
        client
            .createContainerCmd(settings.image())
            .withName(ContainerLabels.name(installation, spec.runner()))
            .withLabels(ContainerLabels.of(installation, spec))
            .withEnv(environment(spec, settings))
            .withStopTimeout(Math.toIntExact(STOP.toSeconds()))
            .withHostConfig(host);
    return settings.command().isEmpty() ? request : request.withCmd(settings.command());
  }

  private static List<String> environment(LaunchSpec spec, ContainerSettings settings) {
    return RunnerVariables.of(spec, settings.environment(), STOP).entrySet().stream()
        .map(variable -> variable.getKey() + "=" + variable.getValue())
        .toList();
  }
}
