/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.orchestrator.config.LauncherDefaults;
import dev.baton.orchestrator.config.OrchestratorConfig;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Holds the configured launchers and their pools, in the order in which runs are placed on them: by
 * the order of the launcher, its name, the order of the pool, and its name. Immutable.
 */
@ApplicationScoped
public class LauncherRegistry {
  private final Map<String, RunnerLauncher> launchers = new LinkedHashMap<>();
  private final List<RunnerPlace> places = new ArrayList<>();

  LauncherRegistry(OrchestratorConfig config, RunnerLauncherFactory factory) {
    Map<String, OrchestratorConfig.LauncherSettings> configured = new TreeMap<>(config.launchers());
    // Runs must be placeable although only further launchers are configured.
    configured.putIfAbsent(OrchestratorConfig.DEFAULT_LAUNCHER, LauncherDefaults.LAUNCHER);
    configured.entrySet().stream()
        .sorted(Comparator.comparingInt(launcher -> launcher.getValue().order()))
        .forEach(
            launcher -> {
              factory
                  .create(config, launcher.getValue())
                  .ifPresent(created -> launchers.put(launcher.getKey(), created));
              places.addAll(places(config, launcher.getKey(), launcher.getValue()));
            });
  }

  private static List<RunnerPlace> places(
      OrchestratorConfig config, String launcher, OrchestratorConfig.LauncherSettings settings) {
    Map<String, OrchestratorConfig.PoolSettings> pools = new TreeMap<>(settings.pools());
    pools.putIfAbsent(RunnerPlace.DEFAULT_POOL, LauncherDefaults.POOL);
    List<RunnerPlace> found = new ArrayList<>();
    pools.entrySet().stream()
        .sorted(
            Comparator.comparingInt(
                    (Map.Entry<String, OrchestratorConfig.PoolSettings> pool) ->
                        pool.getValue().order())
                .thenComparing(pool -> !pool.getKey().equals(RunnerPlace.DEFAULT_POOL)))
        .forEach(
            pool -> {
              boolean first =
                  launcher.equals(OrchestratorConfig.DEFAULT_LAUNCHER)
                      && pool.getKey().equals(RunnerPlace.DEFAULT_POOL);
              Map<String, String> labels = new HashMap<>(settings.labels());
              labels.putAll(pool.getValue().labels());
              found.add(
                  new RunnerPlace(
                      launcher,
                      pool.getKey(),
                      labels,
                      settings.maxRunners(),
                      pool.getValue().maxRunners(),
                      pool.getValue().warm().orElse(first ? config.launcher().warm().size() : 0),
                      pool.getValue().shared().orElse(first ? config.launcher().pool().size() : 0),
                      new LaunchTimeouts(
                          settings.timeout().queued(),
                          settings.timeout().pulling(),
                          settings.timeout().attach().orElse(config.launcher().timeout()))));
            });
    return found;
  }

  /** All places, also those in which nothing can be started. */
  List<RunnerPlace> places() {
    return List.copyOf(places);
  }

  /** The places in which runners can be started. */
  List<RunnerPlace> startable() {
    return places.stream().filter(this::canStart).toList();
  }

  private boolean canStart(RunnerPlace place) {
    RunnerLauncher launcher = launchers.get(place.launcher());
    return launcher != null && launcher.capabilities().canStart();
  }

  /** Returns empty when the launcher is not configured, or its runners attach by themselves. */
  Optional<RunnerLauncher> launcher(String name) {
    return Optional.ofNullable(launchers.get(name));
  }

  /** The launchers by name, without those whose runners attach by themselves. */
  Map<String, RunnerLauncher> launchers() {
    return Map.copyOf(launchers);
  }

  /** Returns a place by its names; the one of the launcher's default pool when the pool is gone. */
  Optional<RunnerPlace> place(String launcher, String pool) {
    return places.stream()
        .filter(place -> place.is(launcher, pool))
        .findFirst()
        .or(
            () ->
                places.stream()
                    .filter(place -> place.is(launcher, RunnerPlace.DEFAULT_POOL))
                    .findFirst());
  }

  /** Names of the launchers whose runners outlive their orchestrator. */
  Set<String> lasting() {
    return launchers.entrySet().stream()
        .filter(launcher -> launcher.getValue().capabilities().outlivesOrchestrator())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /** Names of the launchers whose runners are found only on the host that started them. */
  Set<String> bound() {
    return launchers.entrySet().stream()
        .filter(launcher -> !launcher.getValue().capabilities().outlivesOrchestrator())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
