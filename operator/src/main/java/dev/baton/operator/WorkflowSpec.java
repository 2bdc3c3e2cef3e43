/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import org.jspecify.annotations.Nullable;

/**
 * The desired state of a Workflow.
 *
 * @param definition at most {@link #MAX_DEFINITION_BYTES} as JSON; without a name it gets that of
 *     the resource
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WorkflowSpec(
    @PreserveUnknownFields
        @JsonPropertyDescription(
            "The definition as in docs/workflows.md, at most 256 KiB as JSON. Without a name it"
                + " gets that of the resource.")
        @Nullable JsonNode definition) {
  /** Larger ones belong into Baton, not into the cluster's database. */
  static final int MAX_DEFINITION_BYTES = 256 * 1024;
}
