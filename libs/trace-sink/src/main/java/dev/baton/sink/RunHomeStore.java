/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import java.util.Set;

/** Stores the homes of runs. */
public interface RunHomeStore {
  /** Returns the homes of these runs; runs without one are absent. */
  Uni<Map<String, RunHome>> read(Set<String> runs);

  /**
   * Stores the homes of runs that have none, and returns the stored ones: another consumer may have
   * stored some of them since.
   */
  Uni<Map<String, RunHome>> claim(Map<String, RunHome> begun);
}
