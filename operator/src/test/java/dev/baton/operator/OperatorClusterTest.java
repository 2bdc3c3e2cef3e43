/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static dev.baton.operator.OperatorNamespace.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the operator with its own rights in a real cluster; see {@link OperatorNamespace}. */
class OperatorClusterTest {
  private static final int MANY = 50;

  private final InMemoryOrchestrator orchestrator = new InMemoryOrchestrator();

  @SuppressWarnings("NullAway.Init")
  private OperatorNamespace cluster;

  @BeforeEach
  void open() throws Exception {
    cluster = OperatorNamespace.open();
  }

  @AfterEach
  void close() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private BatonOperator start(String identity) {
    return start(identity, Set.of());
  }

  private BatonOperator start(String identity, Set<String> namespaces) {
    BatonOperator operator =
        new BatonOperator(
            cluster.operatorClient(),
            orchestrator,
            new OperatorSettings(Optional.empty(), namespaces, Set.of(cluster.name), identity),
            Clock.systemUTC());
    operator.start();
    return operator;
  }

  private static String run(String name, String spec) {
    return """
        apiVersion: baton.dev/v1alpha1
        kind: Run
        metadata: {name: %s}
        spec: %s
        """
        .formatted(name, spec);
  }

  private void awaitRun(String name, String status) {
    await(
        name + " is " + status,
        () -> orchestrator.runOf(name, found -> found.status().equals(status)).isPresent());
  }

  private void delete(String name) {
    cluster
        .admin
        .resources(RunCustomResource.class)
        .inNamespace(cluster.name)
        .withName(name)
        .delete();
    await("no resource " + name, () -> cluster.run(name) == null);
  }

  private static Optional<ResourceCondition> condition(RunCustomResource run, String type) {
    return run.getStatus() == null
        ? Optional.empty()
        : ResourceCondition.find(run.getStatus().conditions(), type);
  }

  @Test
  void shouldStartAfterItsWorkflowFollowTheRunAndCancelItWithItsResource() {
    try (BatonOperator operator = start("one")) {
      cluster.apply(run("early", "{workflowRef: {name: hello}}"));
      await("rejected", () -> cluster.hasPhase("early", "Rejected"));
      assertThat(condition(cluster.run("early"), "Accepted").orElseThrow().reason())
          .isEqualTo("WorkflowNotFound");

      cluster.apply(
          """
          apiVersion: baton.dev/v1alpha1
          kind: Workflow
          metadata: {name: hello}
          spec: {definition: {steps: [{id: a, transform: "1"}]}}
          """);
      await("started", () -> cluster.hasPhase("early", "Pending"));
      RunReport started = orchestrator.runOf("early", found -> true).orElseThrow();
      orchestrator.report(InMemoryOrchestrator.with(started, "running", false));
      await("running", () -> cluster.hasPhase("early", "Running"));

      assertThat(cluster.workflow("hello").getStatus().digest()).isEqualTo("hash1");
      assertThat(cluster.run("early").getFinalizers()).isEmpty();
      assertThat(cluster.run("early").getStatus().runId()).isEqualTo(started.run());
      delete("early");
      awaitRun("early", "cancelled");
      assertThat(operator.isLeading()).isTrue();
      assertThat(orchestrator.starts()).isEqualTo(1);
    }
  }

  @Test
  void shouldFindDeletionsThatItMissedAndKeepOrphans() {
    try (BatonOperator first = start("one")) {
      cluster.apply(run("missed", "{workflow: stored}"));
      cluster.apply(run("orphan", "{workflow: stored, deletionPolicy: Orphan}"));
      cluster.apply(run("kept", "{workflow: stored}"));
      for (String name : List.of("missed", "orphan", "kept")) {
        await("started " + name, () -> cluster.hasPhase(name, "Pending"));
      }
      assertThat(first.isLeading()).isTrue();
    }
    delete("missed");
    delete("orphan");

    try (BatonOperator second = start("two")) {
      awaitRun("missed", "cancelled");
      await("the second leads", second::isLeading);
      await("released", () -> orchestrator.owned(Set.of(cluster.name)).size() == 1);
      assertThat(orchestrator.runOf("orphan", found -> !found.ended())).isPresent();
      assertThat(orchestrator.runOf("kept", found -> !found.ended())).isPresent();
    }
  }

  @Test
  void shouldCancelRunsOfADeletedNamespaceAndWatchTheOthers() {
    String team = cluster.name + "-team";
    Set<String> both = Set.of(cluster.name, team);
    cluster.createNamespace(team);
    try (BatonOperator first = start("one", both)) {
      cluster.apply(run("gone", "{workflow: stored}"), team);
      awaitRun("gone", "pending");
      assertThat(first.isLeading()).isTrue();
    }
    // With the right to read it, which a ClusterRole gives, until the operator has seen that.
    cluster.admin.namespaces().withName(team).delete();
    await("no namespace", () -> cluster.admin.namespaces().withName(team).get() == null);

    try (BatonOperator second = start("two", both)) {
      awaitRun("gone", "cancelled");
      cluster.apply(run("other", "{workflow: stored}"));
      awaitRun("other", "pending");
      cluster.deleteNamespace(team);
      cluster.createNamespace(team);
      cluster.apply(run("again", "{workflow: stored}"), team);
      awaitRun("again", "pending");
      assertThat(second.isLeading()).isTrue();
    } finally {
      cluster.deleteNamespace(team);
    }
  }

  @Test
  void shouldApplyModesAndDeleteTheResourceAfterItsTime() {
    try (BatonOperator operator = start("one")) {
      cluster.apply(run("modes", "{workflow: stored, operatingMode: Paused}"));
      awaitRun("modes", "paused");
      await("paused", () -> cluster.hasPhase("modes", "Paused"));
      for (String mode : List.of("Running", "Cancelled")) {
        cluster
            .admin
            .resources(RunCustomResource.class)
            .inNamespace(cluster.name)
            .withName("modes")
            .patch(
                PatchContext.of(PatchType.JSON_MERGE),
                "{\"spec\":{\"operatingMode\":\"" + mode + "\",\"ttlSecondsAfterFinished\":1}}");
        await(mode, () -> cluster.run("modes") == null || cluster.hasPhase("modes", mode));
      }

      awaitRun("modes", "cancelled");
      await("deleted", () -> cluster.run("modes") == null);
      assertThat(operator.isLeading()).isTrue();
    }
  }

  @Test
  void shouldReconcileManyRunsWithFewRequests() {
    try (BatonOperator operator = start("one")) {
      await("leads", operator::isLeading);
      IntStream.range(0, MANY)
          .forEach(number -> cluster.apply(run("many-" + number, "{workflow: stored}")));
      await("all start", () -> orchestrator.starts() == MANY);
      for (int number = 0; number < MANY; number++) {
        RunReport run = orchestrator.runOf("many-" + number, found -> true).orElseThrow();
        orchestrator.report(InMemoryOrchestrator.with(run, "running", false));
        orchestrator.report(InMemoryOrchestrator.with(run, "completed", true));
      }
      await(
          "all complete",
          () ->
              cluster
                      .admin
                      .resources(RunCustomResource.class)
                      .inNamespace(cluster.name)
                      .list()
                      .getItems()
                      .stream()
                      .filter(run -> run.getStatus() != null)
                      .filter(run -> "Completed".equals(run.getStatus().phase()))
                      .count()
                  == MANY);

      List<String> requests =
          cluster.requests().stream().filter(sent -> !sent.contains("/leases")).toList();
      long patches = requests.stream().filter(sent -> sent.startsWith("PATCH ")).count();
      System.out.printf(
          "%d runs: %d requests, %d of them patches%n", MANY, requests.size(), patches);
      assertThat(patches).isBetween((long) MANY, 3L * MANY);
      assertThat(requests.size() - patches).isLessThan(20);
      long largest =
          cluster
              .admin
              .resources(RunCustomResource.class)
              .inNamespace(cluster.name)
              .list()
              .getItems()
              .stream()
              .map(HasMetadata.class::cast)
              .mapToLong(run -> RunStatusMapper.jsonBytes(((RunCustomResource) run).getStatus()))
              .max()
              .orElseThrow();
      assertThat(largest).isLessThanOrEqualTo(RunResourceStatus.MAX_BYTES);
    }
  }

  @Test
  void shouldScaleARunnerPoolAndRemoveItWithItsResource() {
    orchestrator.pool(new RunnerPoolReport(1, 1, 1, 1, "baton.dev/pool=gpu", null, null), null);
    try (BatonOperator operator = start("one")) {
      cluster.apply(
          """
          apiVersion: baton.dev/v1alpha1
          kind: RunnerPool
          metadata: {name: gpu}
          spec: {warm: 1, imgae: typo}
          """);
      await("accepted", () -> pool().getStatus() != null);
      assertThat(orchestrator.pools().values()).containsExactly("{\"warm\":1,\"imgae\":\"typo\"}");
      assertThat(pool().getFinalizers()).isEmpty();
      assertThat(pool().getStatus().warm()).isOne();

      pools().withName("gpu").scale(3);

      await("scaled", () -> orchestrator.pools().values().toString().contains("\"warm\":3"));
      assertThat(pools().withName("gpu").scale().getStatus().getSelector())
          .isEqualTo("baton.dev/pool=gpu");
      pools().withName("gpu").delete();
      await("removed", () -> orchestrator.pools().isEmpty());
      assertThat(operator.isLeading()).isTrue();
    }
  }

  private io.fabric8.kubernetes.client.dsl.NonNamespaceOperation<
          RunnerPoolCustomResource,
          io.fabric8.kubernetes.api.model.KubernetesResourceList<RunnerPoolCustomResource>,
          io.fabric8.kubernetes.client.dsl.Resource<RunnerPoolCustomResource>>
      pools() {
    return cluster.admin.resources(RunnerPoolCustomResource.class).inNamespace(cluster.name);
  }

  private RunnerPoolCustomResource pool() {
    return pools().withName("gpu").get();
  }

  @Test
  void shouldAcceptItsDefinitionsTwiceWithoutANewGeneration() {
    for (String file :
        List.of("workflows.baton.dev.yaml", "runs.baton.dev.yaml", "runnerpools.baton.dev.yaml")) {
      long before = cluster.applyDefinition(file);

      assertThat(cluster.applyDefinition(file)).as(file).isEqualTo(before);
    }
  }

  @Test
  void shouldLetOneOfTwoReplicasReconcileAndTheOtherTakeOver() {
    BatonOperator first = start("one");
    try (BatonOperator second = start("two")) {
      await("one leads", () -> first.isLeading() || second.isLeading());
      assertThat(first.isLeading() && second.isLeading()).isFalse();
      BatonOperator leader = first.isLeading() ? first : second;
      BatonOperator other = first.isLeading() ? second : first;
      leader.close();
      await("the other leads", other::isLeading);
      cluster.apply(run("after", "{workflow: stored}"));
      awaitRun("after", "pending");
    } finally {
      first.close();
    }
  }
}
