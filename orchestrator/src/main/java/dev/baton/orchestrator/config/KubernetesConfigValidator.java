/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static dev.baton.orchestrator.config.OrchestratorConfigValidator.wrong;

import dev.baton.launcher.kubernetes.PodVolume;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Validates the settings of launchers of pods. */
final class KubernetesConfigValidator {
  static final String TYPE = "kubernetes";
  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
  private static final String LABEL =
      "([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?";
  private static final String VALUE = "([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?";
  private static final Pattern SELECTOR = Pattern.compile(LABEL + "=" + VALUE);
  private static final Pattern TOLERATION =
      Pattern.compile(LABEL + "(=" + VALUE + ")?(:(NoSchedule|PreferNoSchedule|NoExecute))?");
  private static final Pattern AUDIENCE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,252}");
  private static final Duration MIN_GRACE = Duration.ofSeconds(1);
  private static final Duration MAX_GRACE = Duration.ofHours(1);

  private KubernetesConfigValidator() {}

  static void validate(List<String> problems, OrchestratorConfig.Operator operator) {
    readable(problems, "baton.operator.kubeconfig", operator.kubeconfig());
    operator
        .namespaces()
        .orElse(List.of())
        .forEach(
            name -> matches(problems, "baton.operator.namespaces", Optional.of(name), NAMESPACE));
  }

  private static void readable(List<String> problems, String key, Optional<Path> file) {
    file.filter(path -> !Files.isReadable(path))
        .ifPresent(path -> problems.add(wrong(key, path, "a file that can be read")));
  }

  /**
   * @param key of the launcher
   */
  static void validate(
      List<String> problems, String key, OrchestratorConfig.LauncherSettings launcher) {
    if (!launcher.type().equals(TYPE)) {
      return;
    }
    OrchestratorConfig.KubernetesSettings cluster = launcher.kubernetes();
    readable(problems, key + ".kubernetes.kubeconfig", cluster.kubeconfig());
    matches(problems, key + ".kubernetes.namespace", cluster.namespace(), NAMESPACE);
    matches(
        problems,
        key + ".kubernetes.installation",
        cluster.installation(),
        ContainerConfigValidator.INSTALLATION);
    ContainerConfigValidator.timeout(problems, key + ".kubernetes.timeout", cluster.timeout());
    validate(problems, key, launcher.container(), launcher.pod());
    new TreeMap<>(launcher.pools())
        .forEach(
            (name, pool) ->
                validate(problems, key + ".pools." + name, pool.container(), pool.pod()));
  }

  private static void validate(
      List<String> problems,
      String key,
      OrchestratorConfig.ContainerSettings container,
      OrchestratorConfig.PodSettings pod) {
    new TreeMap<>(
            Map.of(
                "network", container.network().isPresent(),
                "pids", container.pids().isPresent(),
                "init", container.init().isPresent(),
                "volumes", container.volumes().isPresent()))
        .forEach(
            (name, isPresent) -> {
              if (isPresent) {
                problems.add(
                    key
                        + ".container."
                        + name
                        + " has no effect on pods; allowed: "
                        + (name.equals("volumes") ? key + ".pod.volumes" : "no value"));
              }
            });
    pod.grace()
        .filter(
            time ->
                time.compareTo(MIN_GRACE) < 0
                    || time.compareTo(MAX_GRACE) > 0
                    || time.getNano() != 0)
        .ifPresent(
            time -> problems.add(wrong(key + ".pod.grace", time, "whole seconds, 1s to 1h")));
    matches(
        problems,
        key + ".pod.requested-memory",
        pod.requestedMemory(),
        ContainerConfigValidator.SIZE);
    ContainerConfigValidator.cpus(problems, key + ".pod.requested-cpus", pod.requestedCpus());
    matches(problems, key + ".pod.service-account", pod.serviceAccount(), NAME);
    matches(problems, key + ".pod.token-audience", pod.tokenAudience(), AUDIENCE);
    matches(problems, key + ".pod.priority-class", pod.priorityClass(), NAME);
    lines(problems, key + ".pod.pull-secrets", pod.pullSecrets(), NAME);
    lines(problems, key + ".pod.volumes", pod.volumes(), PodVolume.TEXT);
    lines(problems, key + ".pod.node-selector", pod.nodeSelector(), SELECTOR);
    lines(problems, key + ".pod.tolerations", pod.tolerations(), TOLERATION);
  }

  private static void matches(
      List<String> problems, String key, Optional<String> value, Pattern pattern) {
    ContainerConfigValidator.matches(problems, key, value, pattern);
  }

  private static void lines(
      List<String> problems, String key, Optional<String> value, Pattern pattern) {
    ContainerConfigValidator.lines(problems, key, value, pattern);
  }
}
