/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A run to execute in an epoch.
 *
 * @param home the run's home partition of the trace topic; empty from an orchestrator of an earlier
 *     version
 * @param stepToken with which programs of steps ask the orchestrator for the run's epoch; empty
 *     from one that gives none
 * @param definition canonical JSON
 * @param input empty if the snapshot has it
 * @param fresh whether no step of the run has ever been executed
 * @param parkAfter how long the run may only wait before it is parked; zero: forever
 * @param answers given so far, by approval
 */
public record RunAssignment(
    String run,
    int epoch,
    OptionalInt home,
    String lease,
    String stepToken,
    String project,
    String workflow,
    String definitionHash,
    byte[] definition,
    Optional<JsonNode> input,
    Map<String, String> labels,
    Instant createdAt,
    Optional<Instant> deadline,
    Duration heartbeatInterval,
    Duration heartbeatTimeout,
    boolean fresh,
    Duration parkAfter,
    Map<String, JsonNode> answers) {}
