/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.MeasureProjectsRequest;
import dev.baton.protocol.grpc.ProjectStorage;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Measures what the checkpoints of projects keep. */
@QuarkusTest
class ProjectStorageTest extends StoreTest {
  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();
  private final PackedTestTree tree =
      PackedTestTree.of(Map.of("a", ("first " + run).getBytes(StandardCharsets.UTF_8)));

  @Test
  void shouldMeasureWhatTheCheckpointsOfAProjectKeep() {
    String project = "measured-" + run.substring(20);
    String other = "other-" + run.substring(20);
    PackedTestTree more =
        PackedTestTree.of(Map.of("c", ("third " + run).getBytes(StandardCharsets.UTF_8)));
    CheckpointUploader runner = new CheckpointUploader(client, run, project, 1);

    more.packs().forEach(runner::put);
    runner.register(more.packs());
    assertThat(measure(project, other))
        .as("packs without a checkpoint")
        .isEqualTo(Map.of(project, 0L, other, 0L));

    runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    new CheckpointUploader(client, RunId.next(), other, 1)
        .checkpoint(more, CheckpointTrigger.STEP, Instant.now());
    assertThat(measure(project, other))
        .as("shared packs count once, and in their project only")
        .isEqualTo(Map.of(project, bytes(tree), other, bytes(more)));

    log.send(trace.created(), trace.assigned(1), trace.started(1), trace.ended(1));
    client.idsUntilEnd(run);
    client
        .maintenance()
        .deleteRun(DeleteRunRequest.newBuilder().setRun(run).setForce(true).build());
    assertThat(measure(project, other))
        .as("a deleted run frees its bytes before its packs are collected")
        .isEqualTo(Map.of(project, 0L, other, bytes(more)));
  }

  private static long bytes(PackedTestTree tree) {
    return tree.packs().stream().mapToLong(pack -> pack.ref().size()).sum();
  }

  private Map<String, Long> measure(String... projects) {
    return client
        .maintenance()
        .measureProjects(
            MeasureProjectsRequest.newBuilder().addAllProjects(List.of(projects)).build())
        .getProjectsList()
        .stream()
        .collect(Collectors.toMap(ProjectStorage::getProject, ProjectStorage::getBytes));
  }

  @Test
  void shouldMeasureABoundedNumberOfProjects() {
    String[] names = IntStream.rangeClosed(0, 1_000).mapToObj(i -> "p" + i).toArray(String[]::new);

    assertThatThrownBy(() -> measure(names))
        .hasMessageContaining("INVALID_ARGUMENT")
        .hasMessageContaining("1001 projects are too many; allowed: at most 1000");
    assertThatThrownBy(() -> measure("no project"))
        .hasMessageContaining("INVALID_ARGUMENT")
        .hasMessageContaining("no project");
  }
}
