/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A project in responses.
 *
 * @param underWay number of managed runs that have a place
 * @param queued number of runs that wait for one
 * @param runs number of all stored runs
 * @param storedBytes bytes that its checkpoints keep, as measured last; null without a limit of
 *     them, and before the first measurement
 */
@Schema(name = "Project")
public record ProjectView(
    String name,
    Instant createdAt,
    String createdBy,
    ProjectLimits limits,
    long underWay,
    long queued,
    long runs,
    @Nullable Long storedBytes) {}
