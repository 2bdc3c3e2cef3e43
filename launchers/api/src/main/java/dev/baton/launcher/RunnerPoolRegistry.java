/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

/** The pools of a launcher that are added, changed and removed while it runs. Thread-safe. */
public interface RunnerPoolRegistry {
  /**
   * Where the launcher creates its runners: only an object there can own them.
   *
   * @param cluster address of the API server
   */
  record Location(String cluster, String namespace) {}

  Location location();

  /** Returns the label selector of the runners of a pool. */
  String selector(String pool);

  /** Adds or replaces a pool: runners that start from now on are created as it states. */
  void put(String pool, RunnerPoolTemplate template);

  /** Removes a pool: further starts in it are rejected. Its runners continue. */
  void remove(String pool);
}
