/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchException.RejectedException;
import dev.baton.launcher.RunnerPoolTemplate;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Holds the pools of the settings, and those that were added since. Thread-safe. */
final class PodPoolTable {
  private final KubernetesLauncherSettings settings;
  private final Map<String, PodPool> added = new ConcurrentHashMap<>();
  private final Set<String> removed = ConcurrentHashMap.newKeySet();

  PodPoolTable(KubernetesLauncherSettings settings) {
    this.settings = settings;
  }

  /**
   * Returns how pods of the pool are created. A pool without settings has those of the launcher.
   *
   * @throws RejectedException when the pool was removed: its runners may need what others lack
   */
  PodPool of(String pool) throws RejectedException {
    PodPool found = added.get(pool);
    if (found != null) {
      return found;
    }
    if (removed.contains(pool)) {
      throw new RejectedException(
          "cannot start a pod in pool '" + pool + "': its RunnerPool was deleted; apply it again");
    }
    return PodPool.of(settings.of(pool));
  }

  void put(String pool, RunnerPoolTemplate template) {
    added.put(pool, PodPool.of(template, settings.pod()));
    removed.remove(pool);
  }

  void remove(String pool) {
    removed.add(pool);
    added.remove(pool);
  }
}
