/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.operator.BatonOperator;
import dev.baton.operator.OperatorSettings;
import dev.baton.operator.RunCustomResource;
import dev.baton.operator.RunResourceStatus;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the operator and the services of the orchestrator in the cluster at {@code
 * -Dkubernetes.kubeconfig}; without the property the tests are skipped.
 */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class RunResourceTest {
  private static final Duration WITHIN = Duration.ofSeconds(60);

  @Inject LocalOrchestratorClient orchestrator;
  @Inject OrchestratorTestEnvironment bed;

  private final String namespace = "baton-test-" + UUID.randomUUID().toString().substring(0, 8);

  @SuppressWarnings("NullAway.Init")
  private KubernetesClient cluster;

  @BeforeEach
  void open() throws Exception {
    String file = System.getProperty("kubernetes.kubeconfig", "");
    assumeTrue(
        !file.isEmpty(), "no cluster (set -Dkubernetes.kubeconfig to that of an administrator)");
    cluster = client(file);
    for (String name : new String[] {"workflows.baton.dev.yaml", "runs.baton.dev.yaml"}) {
      cluster
          .load(Files.newInputStream(Path.of("../deploy/kubernetes/crds").resolve(name)))
          .forceConflicts()
          .serverSideApply();
    }
    cluster
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
  }

  private KubernetesClient client(String file) {
    Config config =
        new ConfigBuilder(Config.fromKubeconfig(Path.of(file).toFile()))
            .withNamespace(namespace)
            .build();
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  @AfterEach
  void close() {
    if (cluster != null) {
      cluster.namespaces().withName(namespace).delete();
      cluster.close();
    }
  }

  private BatonOperator operator() {
    BatonOperator operator =
        new BatonOperator(
            client(System.getProperty("kubernetes.kubeconfig", "")),
            orchestrator,
            new OperatorSettings(Optional.empty(), Set.of(), Set.of(), "test"),
            Clock.systemUTC());
    operator.start();
    return operator;
  }

  private void apply(String yaml) {
    cluster
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(namespace)
        .create();
  }

  private static String run(String name) {
    return """
        apiVersion: baton.dev/v1alpha1
        kind: Run
        metadata: {name: %s}
        spec: {workflowRef: {name: hello-kubernetes}}
        """
        .formatted(name);
  }

  private RunResourceStatus await(String name, Predicate<RunResourceStatus> wanted) {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (true) {
      RunCustomResource found =
          cluster.resources(RunCustomResource.class).inNamespace(namespace).withName(name).get();
      if (found != null && found.getStatus() != null && wanted.test(found.getStatus())) {
        return found.getStatus();
      }
      assertThat(System.nanoTime())
          .as("%s is %s", name, found == null ? null : found.getStatus())
          .isLessThan(end);
      LockSupport.parkNanos(100_000_000);
    }
  }

  private String started(String name) {
    return Objects.requireNonNull(await(name, status -> status.runId() != null).runId());
  }

  private void delete(String name) {
    cluster.resources(RunCustomResource.class).inNamespace(namespace).withName(name).delete();
  }

  private void awaitCancelled(String run) {
    bed.api().await(run, shown -> shown.get("status").textValue().equals("cancelled"));
  }

  @Test
  void shouldRunTheExampleToItsEndAndCancelWhatIsDeleted() throws Exception {
    String missed;
    try (BatonOperator operator = operator();
        ScriptedRunner runner = new ScriptedRunner(bed.port(), "resource-runner", 100);
        TraceLog log = bed.log()) {
      // In the order of kubectl: the run is first.
      apply(Files.readString(Path.of("../examples/kubernetes/run.yaml")));
      apply(Files.readString(Path.of("../examples/kubernetes/workflow.yaml")));
      String id = started("hello");
      runner.awaitAssign(id);
      log.append(id, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 1L, "pod-1", null, 0));
      assertThat(await("hello", status -> "Running".equals(status.phase())).epoch()).isEqualTo(1);
      log.append(id, Lane.runner(1), 2, new TraceEvent.RunCompleted(null));
      RunResourceStatus completed = await("hello", status -> "Completed".equals(status.phase()));
      assertThat(completed.finishedAt()).isNotNull();
      assertThat(completed.conditions())
          .anyMatch(
              condition ->
                  condition.type().equals("Succeeded") && condition.status().equals("True"));

      apply(run("deleted"));
      apply(run("missed"));
      String deleted = started("deleted");
      missed = started("missed");
      delete("deleted");
      awaitCancelled(deleted);
      assertThat(operator.isLeading()).isTrue();
    }
    delete("missed");

    try (BatonOperator again = operator()) {
      awaitCancelled(missed);
      assertThat(again.isLeading()).isTrue();
    }
  }
}
