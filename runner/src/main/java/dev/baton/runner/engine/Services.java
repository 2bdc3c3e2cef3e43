/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.capture.StoreClient;
import dev.baton.runner.heartbeat.Heartbeats;
import dev.baton.runner.hold.Confirming;
import dev.baton.runner.journal.SpoolSettings;
import dev.baton.runner.logs.RunLogs;
import dev.baton.runner.process.FixedPath;
import dev.baton.runner.steps.StepExecutors;
import java.nio.file.Path;
import org.apache.kafka.clients.producer.Producer;

/**
 * What the runs of a process share.
 *
 * @param runner the runner's id
 * @param producer of the trace
 * @param fixed where the processes of steps see their workspaces
 */
public record Services(
    String runner,
    Path data,
    Producer<String, byte[]> producer,
    StoreClient store,
    Snapshots snapshots,
    Heartbeats heartbeats,
    RunLogs logs,
    StepExecutors executors,
    Announcements announcements,
    Definitions definitions,
    CheckpointSettings checkpoints,
    Confirming confirming,
    SpoolSettings spools,
    FixedPath fixed) {}
