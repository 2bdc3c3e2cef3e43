/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static dev.baton.orchestrator.config.OrchestratorConfigValidator.range;
import static dev.baton.orchestrator.config.OrchestratorConfigValidator.wrong;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Validates the settings of launchers of containers. */
final class ContainerConfigValidator {
  private static final String DOCKER = "docker";
  static final Pattern SIZE = Pattern.compile("[1-9][0-9]{0,8}[kmg]");
  static final Pattern INSTALLATION = Pattern.compile("[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?");
  private static final Pattern NETWORK = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}");
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./:@-]{0,254}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");
  private static final Pattern VOLUME = Pattern.compile("[A-Za-z0-9/._-]+:/[^:]*(:r[ow])?");
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);
  private static final double MIN_CPUS = 0.01;
  private static final double MAX_CPUS = 1_024;
  private static final int MIN_PIDS = 32;
  private static final int MAX_PIDS = 4_194_304;

  private ContainerConfigValidator() {}

  /**
   * @param key of the launcher
   */
  static void validate(
      List<String> problems, String key, OrchestratorConfig.LauncherSettings launcher) {
    boolean isDocker = launcher.type().equals(DOCKER);
    if (!isDocker && !launcher.type().equals(KubernetesConfigValidator.TYPE)) {
      return;
    }
    if (launcher.container().image().isEmpty()) {
      problems.add(key + ".container.image is missing; allowed: the image of the runners");
    }
    if (isDocker) {
      docker(problems, key + ".docker", launcher.docker());
    }
    container(problems, key + ".container", launcher.container());
    new TreeMap<>(launcher.pools())
        .forEach(
            (name, pool) ->
                container(problems, key + ".pools." + name + ".container", pool.container()));
  }

  private static void docker(
      List<String> problems, String key, OrchestratorConfig.DockerSettings docker) {
    docker
        .host()
        .filter(host -> !isHost(host))
        .ifPresent(
            host ->
                problems.add(wrong(key + ".host", host, "unix:///<path> or tcp://<host>:<port>")));
    matches(problems, key + ".installation", docker.installation(), INSTALLATION);
    timeout(problems, key + ".timeout", docker.timeout());
  }

  static void timeout(List<String> problems, String key, Optional<Duration> timeout) {
    timeout
        .filter(time -> time.compareTo(MIN_TIMEOUT) < 0 || time.compareTo(MAX_TIMEOUT) > 0)
        .ifPresent(time -> problems.add(wrong(key, time, "1s to 5m")));
  }

  private static boolean isHost(URI host) {
    return switch (String.valueOf(host.getScheme())) {
      case "unix" -> host.getPath() != null && host.getPath().length() > 1;
      case "tcp" -> host.getHost() != null && host.getPort() > 0;
      default -> false;
    };
  }

  static void container(
      List<String> problems, String key, OrchestratorConfig.ContainerSettings container) {
    matches(problems, key + ".image", container.image(), IMAGE);
    matches(problems, key + ".network", container.network(), NETWORK);
    matches(problems, key + ".memory", container.memory(), SIZE);
    matches(problems, key + ".work-size", container.workSize(), SIZE);
    matches(problems, key + ".tmp-size", container.tmpSize(), SIZE);
    lines(problems, key + ".environment", container.environment(), VARIABLE);
    lines(problems, key + ".volumes", container.volumes(), VOLUME);
    container.pids().ifPresent(pids -> range(problems, key + ".pids", pids, MIN_PIDS, MAX_PIDS));
    cpus(problems, key + ".cpus", container.cpus());
  }

  static void cpus(List<String> problems, String key, OptionalDouble value) {
    value.ifPresent(
        cpus -> {
          if (!(cpus >= MIN_CPUS && cpus <= MAX_CPUS)) {
            problems.add(wrong(key, cpus, "0.01 to 1024"));
          }
        });
  }

  static void matches(List<String> problems, String key, Optional<String> value, Pattern pattern) {
    value
        .filter(text -> !pattern.matcher(text).matches())
        .ifPresent(text -> problems.add(wrong(key, text, pattern.pattern())));
  }

  /** Names the line and not its text, which may be a secret. */
  static void lines(List<String> problems, String key, Optional<String> value, Pattern pattern) {
    List<String> lines = value.orElse("").lines().map(String::strip).toList();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isEmpty() && !pattern.matcher(lines.get(i)).matches()) {
        problems.add(
            "%s: line %d is not allowed; allowed: one %s per line"
                .formatted(key, i + 1, pattern.pattern()));
      }
    }
  }
}
