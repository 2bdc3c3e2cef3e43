/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A namespace of the cluster at {@code -Dkubernetes.kubeconfig}, whose user must be an
 * administrator. Launchers use a token of the service account in {@code
 * deploy/kubernetes/rbac.yaml}, and so have no more rights than that. Without the property the
 * tests are skipped.
 */
final class KubernetesPlace implements AutoCloseable {
  private static final Duration WITHIN = Duration.ofSeconds(120);
  private static final long TOKEN_SECONDS = 3_600;

  final String namespace = "baton-test-" + UUID.randomUUID().toString().substring(0, 8);
  final KubernetesClient admin;
  private final Config config;
  private final Path kubeconfig;

  private KubernetesPlace(Config config, KubernetesClient admin, Path folder) throws Exception {
    this.config = config;
    this.admin = admin;
    String rules =
        Files.readString(Path.of("../../deploy/kubernetes/rbac.yaml"))
            .replace("baton-runners", namespace)
            .replace("baton-operator-namespaces", namespace);
    admin.load(new ByteArrayInputStream(rules.getBytes(StandardCharsets.UTF_8))).create();
    this.kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(
        kubeconfig,
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "%s", certificate-authority-data: "%s"}}]
        users: [{name: test, user: {token: "%s"}}]
        contexts: [{name: test, context: {cluster: test, user: test, namespace: "%s"}}]
        """
            .formatted(config.getMasterUrl(), config.getCaCertData(), token(), namespace));
    await(
        "the default service account",
        () -> admin.serviceAccounts().inNamespace(namespace).withName("default").get() != null);
  }

  /** Creates the namespace, or skips the test. */
  static KubernetesPlace open(Path folder) throws Exception {
    String file = System.getProperty("kubernetes.kubeconfig", "");
    assumeTrue(
        !file.isEmpty(), "no cluster (set -Dkubernetes.kubeconfig to that of an administrator)");
    Config config = Config.fromKubeconfig(Path.of(file).toFile());
    KubernetesClient admin =
        new KubernetesClientBuilder()
            .withConfig(config)
            .withHttpClientFactory(new JdkHttpClientFactory())
            .build();
    return new KubernetesPlace(config, admin, folder);
  }

  /**
   * As {@link #open}, with a node that has the image {@code -Dkubernetes.image}; skips the test
   * without one.
   */
  static KubernetesPlace openWithNode(Path folder) throws Exception {
    assumeTrue(!image().isEmpty(), "no image (set -Dkubernetes.image to one on the node)");
    KubernetesPlace place = open(folder);
    if (!place.hasNode()) {
      place.close();
      assumeTrue(false, "the cluster has no ready node");
    }
    return place;
  }

  /** Returns the image on the node; empty without one. */
  static String image() {
    return System.getProperty("kubernetes.image", "");
  }

  private String token() {
    return admin
        .serviceAccounts()
        .inNamespace(namespace)
        .withName("baton-orchestrator")
        .tokenRequest(
            new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(List.of())
                .withExpirationSeconds(TOKEN_SECONDS)
                .endSpec()
                .build())
        .getStatus()
        .getToken();
  }

  static void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(100_000_000);
    }
  }

  KubernetesRunnerLauncher launcher(Path logs, PodSettings pod) {
    return new KubernetesRunnerLauncher(
        new KubernetesLauncherSettings(
            Optional.of(kubeconfig),
            Optional.empty(),
            Optional.empty(),
            "test",
            pod,
            Map.of(),
            logs,
            Duration.ofSeconds(20),
            Duration.ofSeconds(5)));
  }

  /** Returns the runner's pod, if it exists. */
  Optional<Pod> pod(String runner) {
    return Optional.ofNullable(
        admin.pods().inNamespace(namespace).withName(PodLabels.name("test", runner)).get());
  }

  /** Assigns a node that does not exist, as the scheduler does. */
  void bind(String runner) {
    String name = PodLabels.name("test", runner);
    admin.raw(
        "/api/v1/namespaces/" + namespace + "/pods/" + name + "/binding",
        "POST",
        new BindingBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withNewTarget()
            .withKind("Node")
            .withName("no-such-node")
            .endTarget()
            .build());
  }

  /** Reports a status, as a kubelet does. */
  void report(String runner, PodStatus status) {
    Pod pod = pod(runner).orElseThrow();
    admin
        .pods()
        .inNamespace(namespace)
        .resource(new PodBuilder(pod).withStatus(status).build())
        .updateStatus();
  }

  boolean hasNode() {
    return admin.nodes().list().getItems().stream()
        .flatMap(node -> node.getStatus().getConditions().stream())
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  String server() {
    return Objects.requireNonNull(config.getMasterUrl());
  }

  /** Deletes the namespace with everything in it, without waiting for that. */
  @Override
  public void close() {
    admin.namespaces().withName(namespace).delete();
    admin.rbac().clusterRoleBindings().withName(namespace).delete();
    admin.rbac().clusterRoles().withName(namespace).delete();
    admin.close();
  }
}
