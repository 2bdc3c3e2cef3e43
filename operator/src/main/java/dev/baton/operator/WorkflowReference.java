/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/**
 * Names a Workflow in the namespace of the Run.
 *
 * @param name of the resource
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkflowReference(
    @Required @JsonPropertyDescription("Name of a Workflow in this namespace") String name) {}
