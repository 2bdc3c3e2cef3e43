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

/** Reads how far a service has applied the control lanes of runs. */
@FunctionalInterface
public interface ControlSeqStore {
  /** Returns the highest applied seq of the control lane; runs without one are absent. */
  Uni<Map<String, Long>> read(Set<String> runs);
}
