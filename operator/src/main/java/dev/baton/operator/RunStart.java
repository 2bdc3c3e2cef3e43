/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to start a run for a Run.
 *
 * @param workflow {@code name} or {@code name@hash}
 */
public record RunStart(
    ResourceKey resource,
    RunDeletionPolicy onDelete,
    String workflow,
    @Nullable JsonNode input,
    Map<String, String> labels,
    @Nullable String project,
    @Nullable String deadline,
    @Nullable Integer priority) {
  public RunStart {
    labels = Map.copyOf(labels);
  }
}
