/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** Settings of launchers and pools that are not configured. */
public final class LauncherDefaults {
  private static final int ORDER = 100;

  /** A launcher of processes without further settings. */
  public static final OrchestratorConfig.LauncherSettings LAUNCHER =
      new OrchestratorConfig.LauncherSettings() {
        @Override
        public String type() {
          return "process";
        }

        @Override
        public Optional<String> command() {
          return Optional.empty();
        }

        @Override
        public OptionalInt maxRunners() {
          return OptionalInt.empty();
        }

        @Override
        public int order() {
          return ORDER;
        }

        @Override
        public Map<String, String> labels() {
          return Map.of();
        }

        @Override
        public Map<String, OrchestratorConfig.PoolSettings> pools() {
          return Map.of();
        }

        @Override
        public OrchestratorConfig.LaunchTimeoutSettings timeout() {
          return TIMEOUTS;
        }

        @Override
        public OrchestratorConfig.DockerSettings docker() {
          return DOCKER;
        }

        @Override
        public OrchestratorConfig.KubernetesSettings kubernetes() {
          return KUBERNETES;
        }

        @Override
        public OrchestratorConfig.ContainerSettings container() {
          return CONTAINER;
        }

        @Override
        public OrchestratorConfig.PodSettings pod() {
          return POD;
        }
      };

  /** A pool without further settings. */
  public static final OrchestratorConfig.PoolSettings POOL =
      new OrchestratorConfig.PoolSettings() {
        @Override
        public OptionalInt maxRunners() {
          return OptionalInt.empty();
        }

        @Override
        public int order() {
          return ORDER;
        }

        @Override
        public Map<String, String> labels() {
          return Map.of();
        }

        @Override
        public OptionalInt warm() {
          return OptionalInt.empty();
        }

        @Override
        public OptionalInt shared() {
          return OptionalInt.empty();
        }

        @Override
        public OrchestratorConfig.ContainerSettings container() {
          return CONTAINER;
        }

        @Override
        public OrchestratorConfig.PodSettings pod() {
          return POD;
        }
      };

  private static final OrchestratorConfig.LaunchTimeoutSettings TIMEOUTS =
      new OrchestratorConfig.LaunchTimeoutSettings() {
        @Override
        public Optional<Duration> queued() {
          return Optional.empty();
        }

        @Override
        public Optional<Duration> pulling() {
          return Optional.empty();
        }

        @Override
        public Optional<Duration> attach() {
          return Optional.empty();
        }
      };

  private static final OrchestratorConfig.DockerSettings DOCKER =
      new OrchestratorConfig.DockerSettings() {
        @Override
        public Optional<URI> host() {
          return Optional.empty();
        }

        @Override
        public Optional<String> installation() {
          return Optional.empty();
        }

        @Override
        public Optional<Duration> timeout() {
          return Optional.empty();
        }
      };

  private static final OrchestratorConfig.ContainerSettings CONTAINER =
      new OrchestratorConfig.ContainerSettings() {
        @Override
        public Optional<String> image() {
          return Optional.empty();
        }

        @Override
        public Optional<String> network() {
          return Optional.empty();
        }

        @Override
        public Optional<String> memory() {
          return Optional.empty();
        }

        @Override
        public OptionalDouble cpus() {
          return OptionalDouble.empty();
        }

        @Override
        public OptionalInt pids() {
          return OptionalInt.empty();
        }

        @Override
        public Optional<String> workSize() {
          return Optional.empty();
        }

        @Override
        public Optional<String> tmpSize() {
          return Optional.empty();
        }

        @Override
        public Optional<Boolean> readOnly() {
          return Optional.empty();
        }

        @Override
        public Optional<Boolean> init() {
          return Optional.empty();
        }

        @Override
        public Optional<Boolean> pull() {
          return Optional.empty();
        }

        @Override
        public Optional<String> environment() {
          return Optional.empty();
        }

        @Override
        public Optional<String> volumes() {
          return Optional.empty();
        }
      };

  private static final OrchestratorConfig.KubernetesSettings KUBERNETES =
      new OrchestratorConfig.KubernetesSettings() {
        @Override
        public Optional<Path> kubeconfig() {
          return Optional.empty();
        }

        @Override
        public Optional<String> context() {
          return Optional.empty();
        }

        @Override
        public Optional<String> namespace() {
          return Optional.empty();
        }

        @Override
        public Optional<String> installation() {
          return Optional.empty();
        }

        @Override
        public Optional<Duration> timeout() {
          return Optional.empty();
        }
      };

  private static final OrchestratorConfig.PodSettings POD =
      new OrchestratorConfig.PodSettings() {
        @Override
        public Optional<Duration> grace() {
          return Optional.empty();
        }

        @Override
        public Optional<String> requestedMemory() {
          return Optional.empty();
        }

        @Override
        public OptionalDouble requestedCpus() {
          return OptionalDouble.empty();
        }

        @Override
        public Optional<String> serviceAccount() {
          return Optional.empty();
        }

        @Override
        public Optional<String> tokenAudience() {
          return Optional.empty();
        }

        @Override
        public Optional<String> pullSecrets() {
          return Optional.empty();
        }

        @Override
        public Optional<String> volumes() {
          return Optional.empty();
        }

        @Override
        public Optional<String> nodeSelector() {
          return Optional.empty();
        }

        @Override
        public Optional<String> tolerations() {
          return Optional.empty();
        }

        @Override
        public Optional<String> priorityClass() {
          return Optional.empty();
        }
      };

  private LauncherDefaults() {}
}
