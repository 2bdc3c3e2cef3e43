/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.RunnerPoolRegistry;
import dev.baton.orchestrator.config.LauncherDefaults;
import dev.baton.orchestrator.config.OrchestratorConfig;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Holds the configured launchers and their pools, and the pools that resources describe, in the
 * order in which runs are placed on them: by the order of the launcher, its name, the order of the
 * pool, and its name. Only the pools of resources change. Thread-safe.
 */
@ApplicationScoped
public class LauncherRegistry {
  /**
   * A pool that a resource describes.
   *
   * @param share number of idle runners that this replica keeps
   * @param removed whether nothing is started in it any more
   */
  record ResourcePool(RunnerPoolDefinition definition, int share, boolean removed) {}

  /**
   * The type of launchers whose shared runners execute programs: all runners have one user and one
   * host, isolated ones too. Launchers of other types separate runs by containers.
   */
  private static final String SHARES_PROGRAMS = "process";

  private record OrderedPlace(int launcher, int order, RunnerPlace place) {
    static final Comparator<OrderedPlace> ORDER =
        Comparator.comparingInt(OrderedPlace::launcher)
            .thenComparingInt(OrderedPlace::order)
            .thenComparing(found -> !found.place().pool().equals(RunnerPlace.DEFAULT_POOL))
            .thenComparing(found -> found.place().pool());
  }

  private final OrchestratorConfig config;
  private final Map<String, RunnerLauncher> launchers = new LinkedHashMap<>();
  private final Map<String, OrchestratorConfig.LauncherSettings> settings = new LinkedHashMap<>();
  private final List<OrderedPlace> configured = new ArrayList<>();
  private volatile List<ResourcePool> resources = List.of();
  private volatile List<RunnerPlace> places;

  /** Places of pools that resources describe, also of removed ones. */
  private volatile List<RunnerPlace> resourcePlaces = List.of();

  LauncherRegistry(OrchestratorConfig config, RunnerLauncherFactory factory) {
    this.config = config;
    Map<String, OrchestratorConfig.LauncherSettings> stated = new TreeMap<>(config.launchers());
    // Runs must be placeable although only further launchers are configured.
    stated.putIfAbsent(OrchestratorConfig.DEFAULT_LAUNCHER, LauncherDefaults.LAUNCHER);
    stated.entrySet().stream()
        .sorted(Comparator.comparingInt(launcher -> launcher.getValue().order()))
        .forEach(
            launcher -> {
              factory
                  .create(config, launcher.getValue())
                  .ifPresent(created -> launchers.put(launcher.getKey(), created));
              configure(settings.size(), launcher.getKey(), launcher.getValue());
              settings.put(launcher.getKey(), launcher.getValue());
            });
    this.places = ordered(configured);
  }

  private void configure(int index, String launcher, OrchestratorConfig.LauncherSettings of) {
    Map<String, OrchestratorConfig.PoolSettings> pools = new TreeMap<>(of.pools());
    pools.putIfAbsent(RunnerPlace.DEFAULT_POOL, LauncherDefaults.POOL);
    pools.forEach(
        (name, pool) -> {
          boolean first =
              launcher.equals(OrchestratorConfig.DEFAULT_LAUNCHER)
                  && name.equals(RunnerPlace.DEFAULT_POOL);
          configured.add(
              new OrderedPlace(
                  index,
                  pool.order(),
                  place(
                      launcher,
                      of,
                      name,
                      pool.labels(),
                      pool.maxRunners(),
                      pool.warm().orElse(first ? config.launcher().warm().size() : 0),
                      pool.shared().orElse(first ? config.launcher().pool().size() : 0))));
        });
  }

  private RunnerPlace place(
      String launcher,
      OrchestratorConfig.LauncherSettings of,
      String pool,
      Map<String, String> labels,
      OptionalInt limit,
      int warm,
      int shared) {
    Map<String, String> all = new HashMap<>(of.labels());
    all.putAll(labels);
    return new RunnerPlace(
        launcher,
        pool,
        all,
        of.maxRunners(),
        limit,
        warm,
        shared,
        of.type().equals(SHARES_PROGRAMS),
        new LaunchTimeouts(
            of.timeout().queued(),
            of.timeout().pulling(),
            of.timeout().attach().orElse(config.launcher().timeout())));
  }

  private static List<RunnerPlace> ordered(List<OrderedPlace> found) {
    return found.stream().sorted(OrderedPlace.ORDER).map(OrderedPlace::place).toList();
  }

  /**
   * Replaces the pools that resources describe. One of a launcher that is not configured, or with
   * the name of a configured pool, is left out.
   *
   * @return whether a place has changed
   */
  synchronized boolean define(List<ResourcePool> pools) {
    List<ResourcePool> now =
        pools.stream()
            .filter(pool -> settings.containsKey(pool.definition().launcher()))
            .filter(pool -> !isConfigured(pool.definition().launcher(), pool.definition().name()))
            .toList();
    if (now.equals(resources)) {
      return false;
    }
    List<OrderedPlace> all = new ArrayList<>(configured);
    List<RunnerPlace> defined = new ArrayList<>();
    List<String> names = List.copyOf(settings.keySet());
    for (ResourcePool pool : now) {
      RunnerPoolDefinition definition = pool.definition();
      RunnerPlace place =
          place(
              definition.launcher(),
              Objects.requireNonNull(settings.get(definition.launcher())),
              definition.name(),
              definition.labels(),
              definition.maxRunners(),
              pool.removed() ? 0 : pool.share(),
              0);
      defined.add(place);
      RunnerPoolRegistry registry = registries().get(definition.launcher());
      if (!pool.removed() && registry != null) {
        registry.put(definition.name(), definition.template());
        all.add(new OrderedPlace(names.indexOf(definition.launcher()), definition.order(), place));
      }
    }
    for (ResourcePool before : resources) {
      RunnerPoolDefinition old = before.definition();
      RunnerPoolRegistry registry = registries().get(old.launcher());
      if (registry != null
          && now.stream()
              .noneMatch(
                  pool ->
                      !pool.removed()
                          && pool.definition().launcher().equals(old.launcher())
                          && pool.definition().name().equals(old.name()))) {
        registry.remove(old.name());
      }
    }
    resources = now;
    resourcePlaces = List.copyOf(defined);
    places = ordered(all);
    return true;
  }

  /** Whether the settings contain the pool. */
  boolean isConfigured(String launcher, String pool) {
    return configured.stream().anyMatch(found -> found.place().is(launcher, pool));
  }

  /** The places of pools that resources describe; a removed one has the size 0. */
  List<RunnerPlace> resourcePlaces() {
    return resourcePlaces;
  }

  /** The launchers whose pools may be resources, by name. */
  Map<String, RunnerPoolRegistry> registries() {
    Map<String, RunnerPoolRegistry> found = new TreeMap<>();
    launchers.forEach(
        (name, launcher) -> {
          if (launcher instanceof RunnerPoolRegistry registry) {
            found.put(name, registry);
          }
        });
    return found;
  }

  /** All places, also those in which nothing can be started. */
  List<RunnerPlace> places() {
    return places;
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
    return Stream.concat(places.stream(), resourcePlaces.stream())
        .filter(place -> place.is(launcher, pool))
        .findFirst()
        .or(
            () ->
                places.stream()
                    .filter(place -> place.is(launcher, RunnerPlace.DEFAULT_POOL))
                    .findFirst());
  }

  /** Whether the place is known, also when its pool was removed and has runners left. */
  boolean isKnown(RunnerPlace place) {
    return places.contains(place) || resourcePlaces.contains(place);
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
