/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.approvals.ApprovalResource;
import dev.baton.orchestrator.checkpoints.CheckpointResource;
import dev.baton.orchestrator.checkpoints.ExternalCheckpointResource;
import dev.baton.orchestrator.checkpoints.RunCheckpointResource;
import dev.baton.orchestrator.checkpoints.RunDeletionResource;
import dev.baton.orchestrator.events.EventResource;
import dev.baton.orchestrator.launch.RunnerResource;
import dev.baton.orchestrator.logs.LogResource;
import dev.baton.orchestrator.runs.RunResource;
import dev.baton.orchestrator.workflows.WorkflowResource;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that every endpoint answers on an event loop, where Mutiny refuses to block: an endpoint
 * that blocks fails at once unless it was moved to a worker thread.
 */
class NonBlockingTest {
  @Test
  void shouldLeaveNoEndpointOnAThreadThatMayBlock() {
    List<Method> endpoints =
        Stream.of(
                ApprovalResource.class,
                CheckpointResource.class,
                EventResource.class,
                ExternalCheckpointResource.class,
                LogResource.class,
                RunCheckpointResource.class,
                RunDeletionResource.class,
                RunResource.class,
                RunnerResource.class,
                WorkflowResource.class)
            .flatMap(resource -> Stream.of(resource.getDeclaredMethods()))
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .toList();

    assertThat(endpoints).hasSizeGreaterThan(22);
    assertThat(endpoints)
        .allSatisfy(
            endpoint -> {
              assertThat(endpoint.getReturnType()).isIn(Uni.class, Multi.class);
              assertThat(endpoint.isAnnotationPresent(Blocking.class)).isFalse();
              assertThat(endpoint.isAnnotationPresent(RunOnVirtualThread.class)).isFalse();
            });
  }
}
