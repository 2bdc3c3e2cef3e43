/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A run of the workload, acknowledged by the API.
 *
 * @param run its id
 * @param workflow its workflow's name
 * @param expected the output of an undisturbed run of the same workflow
 */
public record WorkloadRun(String run, String workflow, JsonNode expected) {}
