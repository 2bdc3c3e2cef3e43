/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static dev.baton.orchestrator.config.OrchestratorConfigValidator.range;
import static dev.baton.orchestrator.config.OrchestratorConfigValidator.wrong;

import dev.baton.protocol.workflow.RunnerSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Validates the settings of launchers and their pools. */
final class LauncherConfigValidator {
  private static final List<String> TYPES = List.of("process", "docker", "kubernetes", "attached");
  private static final int MAX_RUNNERS = 100_000;
  private static final int MAX_ORDER = 1_000_000;
  private static final int MAX_POOL = 64;

  private LauncherConfigValidator() {}

  static void validate(List<String> problems, OrchestratorConfig config) {
    Map<String, OrchestratorConfig.LauncherSettings> launchers = new TreeMap<>(config.launchers());
    launchers.putIfAbsent(OrchestratorConfig.DEFAULT_LAUNCHER, LauncherDefaults.LAUNCHER);
    launchers.forEach((name, launcher) -> validate(problems, name, launcher, config));
  }

  private static void validate(
      List<String> problems,
      String name,
      OrchestratorConfig.LauncherSettings launcher,
      OrchestratorConfig config) {
    String key = "baton.launchers." + name;
    matches(problems, key, name, RunnerSelector.NAME);
    if (!TYPES.contains(launcher.type())) {
      problems.add(wrong(key + ".type", launcher.type(), String.join(", ", TYPES)));
    }
    range(problems, key + ".order", launcher.order(), 0, MAX_ORDER);
    launcher
        .maxRunners()
        .ifPresent(max -> range(problems, key + ".max-runners", max, 1, MAX_RUNNERS));
    labels(problems, key + ".labels", launcher.labels());
    ContainerConfigValidator.validate(problems, key, launcher);
    KubernetesConfigValidator.validate(problems, key, launcher);
    timeout(problems, key + ".timeout.queued", launcher.timeout().queued().orElse(null));
    timeout(problems, key + ".timeout.pulling", launcher.timeout().pulling().orElse(null));
    timeout(problems, key + ".timeout.attach", launcher.timeout().attach().orElse(null));
    Map<String, OrchestratorConfig.PoolSettings> pools = new TreeMap<>(launcher.pools());
    pools.putIfAbsent("default", LauncherDefaults.POOL);
    int idle = 0;
    for (Map.Entry<String, OrchestratorConfig.PoolSettings> entry : pools.entrySet()) {
      OrchestratorConfig.PoolSettings pool = entry.getValue();
      String of = key + ".pools." + entry.getKey();
      matches(problems, of, entry.getKey(), RunnerSelector.NAME);
      range(problems, of + ".order", pool.order(), 0, MAX_ORDER);
      pool.maxRunners().ifPresent(max -> range(problems, of + ".max-runners", max, 1, MAX_RUNNERS));
      pool.warm().ifPresent(size -> range(problems, of + ".warm", size, 0, MAX_POOL));
      pool.shared().ifPresent(size -> range(problems, of + ".shared", size, 0, MAX_POOL));
      labels(problems, of + ".labels", pool.labels());
      boolean standard =
          name.equals(OrchestratorConfig.DEFAULT_LAUNCHER) && entry.getKey().equals("default");
      int shared = pool.shared().orElse(standard ? config.launcher().pool().size() : 0);
      int warm = pool.warm().orElse(standard ? config.launcher().warm().size() : 0);
      room(problems, of, pool.maxRunners().orElse(MAX_RUNNERS), shared + warm, shared);
      idle += shared + warm;
    }
    room(problems, key, launcher.maxRunners().orElse(MAX_RUNNERS), idle, idle);
  }

  /** Idle runners must leave room for a run that none of them fits. */
  private static void room(List<String> problems, String key, int max, int kept, int shared) {
    if (max >= 1 && (kept > max || shared >= max)) {
      problems.add(
          wrong(
              key + ".max-runners",
              max,
              "more than the %d runners that are always kept".formatted(shared)
                  + " (shared and warm; see baton.launcher.pool.size and baton.launcher.warm.size)"));
    }
  }

  private static void labels(List<String> problems, String key, Map<String, String> labels) {
    if (labels.size() > RunnerSelector.MAX_LABELS) {
      problems.add(wrong(key, labels.size() + " labels", "at most " + RunnerSelector.MAX_LABELS));
    }
    labels.forEach(
        (label, value) -> {
          matches(problems, key + "." + label, label, RunnerSelector.LABEL);
          matches(problems, key + "." + label, value, RunnerSelector.VALUE);
        });
  }

  private static void timeout(
      List<String> problems, String key, @org.jspecify.annotations.Nullable Duration timeout) {
    if (timeout != null && timeout.compareTo(Duration.ofSeconds(1)) < 0) {
      problems.add(wrong(key, timeout, "1s or more"));
    }
  }

  private static void matches(List<String> problems, String key, String text, Pattern pattern) {
    if (!pattern.matcher(text).matches()) {
      problems.add(key + ": '" + text + "' is not allowed; allowed: " + pattern.pattern());
    }
  }
}
