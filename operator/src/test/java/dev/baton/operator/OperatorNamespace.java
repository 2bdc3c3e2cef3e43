/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A namespace of the cluster at {@code -Dkubernetes.kubeconfig}, whose user must be an
 * administrator, with the kinds and the roles of {@code deploy/kubernetes}. Without the property
 * the tests are skipped.
 */
final class OperatorNamespace implements AutoCloseable {
  private static final Duration WITHIN = Duration.ofSeconds(60);
  private static final Path FOLDER = Path.of("..", "deploy", "kubernetes");
  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("baton-test")
          .withForce(true)
          .build();

  final String name = "baton-test-" + UUID.randomUUID().toString().substring(0, 8);
  final KubernetesClient admin;
  private final Config config;
  private final List<String> requests = new CopyOnWriteArrayList<>();

  private OperatorNamespace(Config config) throws Exception {
    this.config = config;
    this.admin = client(config);
    for (String file :
        List.of("workflows.baton.dev.yaml", "runs.baton.dev.yaml", "runnerpools.baton.dev.yaml")) {
      applyDefinition(file);
    }
    await(
        "the kinds",
        () ->
            admin.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                    .filter(found -> found.getSpec().getGroup().equals("baton.dev"))
                    .flatMap(found -> found.getStatus().getConditions().stream())
                    .filter(condition -> condition.getType().equals("Established"))
                    .filter(condition -> condition.getStatus().equals("True"))
                    .count()
                == 3);
    String rules =
        Files.readString(FOLDER.resolve("rbac.yaml"))
            .replace("baton-runners", name)
            .replace("baton-operator-namespaces", name);
    admin.load(new ByteArrayInputStream(rules.getBytes(StandardCharsets.UTF_8))).create();
  }

  static OperatorNamespace open() throws Exception {
    String file = System.getProperty("kubernetes.kubeconfig", "");
    assumeTrue(
        !file.isEmpty(), "no cluster (set -Dkubernetes.kubeconfig to that of an administrator)");
    return new OperatorNamespace(Config.fromKubeconfig(Path.of(file).toFile()));
  }

  private static KubernetesClient client(Config config) {
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  /** Applies a definition from the server's side; returns its generation. */
  long applyDefinition(String file) {
    CustomResourceDefinition definition =
        admin
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .load(FOLDER.resolve("crds").resolve(file).toFile())
            .item();
    return admin
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .resource(definition)
        .patch(APPLY, definition)
        .getMetadata()
        .getGeneration();
  }

  /** Returns the requests of the operator's clients, such as {@code PATCH /apis/…}. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  /** A client with the rights of the operator alone, whose requests are recorded. */
  KubernetesClient operatorClient() {
    await(
        "the service account",
        () ->
            admin.serviceAccounts().inNamespace(name).withName("baton-orchestrator").get() != null);
    String token =
        admin
            .serviceAccounts()
            .inNamespace(name)
            .withName("baton-orchestrator")
            .tokenRequest(
                new TokenRequestBuilder()
                    .withNewSpec()
                    .withAudiences(List.of())
                    .withExpirationSeconds(3_600L)
                    .endSpec()
                    .build())
            .getStatus()
            .getToken();
    Config restricted =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(config.getMasterUrl())
            .withCaCertData(config.getCaCertData())
            .withOauthToken(token)
            .withNamespace(name)
            .build();
    return new KubernetesClientBuilder()
        .withConfig(restricted)
        .withHttpClientFactory(
            new JdkHttpClientFactory() {
              @Override
              public HttpClient.Builder newBuilder(Config client) {
                return super.newBuilder(client).addOrReplaceInterceptor("requests", recorder());
              }
            })
        .build();
  }

  /** Creates a further namespace for resources, with the rights of the operator there. */
  void createNamespace(String namespace) {
    String operator =
        "subjects: [{kind: ServiceAccount, name: baton-orchestrator, namespace: %s}]"
            .formatted(name);
    apply(
        """
        apiVersion: v1
        kind: Namespace
        metadata: {name: %1$s}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: baton-operator, namespace: %1$s}
        rules:
          - {apiGroups: [baton.dev], resources: [workflows, runs], verbs: [get, list, watch]}
          - {apiGroups: [baton.dev], resources: [workflows/status, runs/status], verbs: [patch]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: baton-operator, namespace: %1$s}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: baton-operator}
        %2$s
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: %1$s}
        rules:
          - {apiGroups: [""], resources: [namespaces], resourceNames: [%1$s], verbs: [get]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: %1$s}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %1$s}
        %2$s
        """
            .formatted(namespace, operator),
        namespace);
  }

  /** Deletes a namespace with everything in it, and waits until it is gone. */
  void deleteNamespace(String namespace) {
    admin.namespaces().withName(namespace).delete();
    deleteClusterRole(namespace);
    await("no namespace " + namespace, () -> admin.namespaces().withName(namespace).get() == null);
  }

  private void deleteClusterRole(String role) {
    admin.rbac().clusterRoleBindings().withName(role).delete();
    admin.rbac().clusterRoles().withName(role).delete();
  }

  private Interceptor recorder() {
    return new Interceptor() {
      @Override
      public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
        requests.add(request.method() + " " + request.uri().getPath());
      }
    };
  }

  void apply(String yaml) {
    apply(yaml, name);
  }

  void apply(String yaml, String namespace) {
    admin
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .inNamespace(namespace)
        .create();
  }

  RunCustomResource run(String run) {
    return admin.resources(RunCustomResource.class).inNamespace(name).withName(run).get();
  }

  WorkflowCustomResource workflow(String workflow) {
    return admin.resources(WorkflowCustomResource.class).inNamespace(name).withName(workflow).get();
  }

  /** Whether the run has this phase. */
  boolean hasPhase(String run, String phase) {
    RunCustomResource found = run(run);
    return found != null && found.getStatus() != null && phase.equals(found.getStatus().phase());
  }

  static void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + WITHIN.toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(100_000_000);
    }
  }

  /** Deletes the namespace with everything in it, without waiting for that. */
  @Override
  public void close() {
    Namespace namespace =
        new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build();
    admin.resource(namespace).delete();
    deleteClusterRole(name);
    admin.close();
  }
}
