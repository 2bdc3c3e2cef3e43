/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.acceptance.helm.HelmInvoker.Result;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lints and renders the charts with the real Helm: that of {@code -Dbaton.helm}, else the pinned
 * one, which npm installs. Skipped where neither is available.
 */
class HelmChartTest {
  private static final Path PROJECT =
      Objects.requireNonNull(Path.of("").toAbsolutePath().getParent());
  private static final Path CHART = PROJECT.resolve("deploy/helm/baton");
  private static final Path CRD_CHART = PROJECT.resolve("deploy/helm/baton-crds");
  private static final Path KUBERNETES = PROJECT.resolve("deploy/kubernetes");
  private static final String OLDEST = "1.20.2";
  private static final List<String> DEMO =
      List.of("--values", CHART.resolve("values-demo.yaml").toString());
  private static final List<String> EVERYTHING =
      List.of("--values", PROJECT.resolve("deploy/test/helm/values-everything.yaml").toString());

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static HelmInvoker helm;

  @BeforeAll
  static void find() throws InterruptedException {
    String named = System.getProperty("baton.helm", "");
    try {
      helm =
          new HelmInvoker(
              named.isEmpty() ? HelmInstaller.install(PROJECT) : Path.of(named), folder);
    } catch (IOException e) {
      assumeTrue(false, "Helm cannot be installed: " + e.getMessage());
    }
  }

  private static List<JsonNode> of(List<JsonNode> objects, String kind) {
    return objects.stream().filter(it -> it.path("kind").asText().equals(kind)).toList();
  }

  private static JsonNode one(List<JsonNode> objects, String kind, String name) {
    return of(objects, kind).stream()
        .filter(it -> it.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }

  private static Properties settings(List<JsonNode> objects, String map) throws IOException {
    Properties settings = new Properties();
    settings.load(
        new StringReader(
            one(objects, "ConfigMap", map).at("/data/application.properties").asText()));
    return settings;
  }

  @ParameterizedTest
  @ValueSource(strings = {"values-demo.yaml", "values-everything.yaml"})
  void shouldHaveNothingToLint(String values) throws Exception {
    List<String> file = values.equals("values-demo.yaml") ? DEMO : EVERYTHING;

    Result result =
        helm.run(
            Stream.concat(Stream.of("lint", "--strict", CHART.toString()), file.stream()).toList());

    assertThat(result.code()).describedAs(result.output()).isZero();
    assertThat(result.output()).contains("0 chart(s) failed").doesNotContain("WARN");
  }

  @ParameterizedTest
  @CsvSource({OLDEST + ", policy/v1beta1", "1.21.0, policy/v1", "1.35.0, policy/v1"})
  void shouldRenderRestrictedPodsForEachVersion(String kubernetes, String disruption)
      throws Exception {
    for (List<String> values : List.of(DEMO, EVERYTHING)) {
      List<JsonNode> objects = helm.template(CHART, kubernetes, values);
      List<JsonNode> pods = RestrictedPodChecker.pods(objects);

      assertThat(pods).hasSize(3);
      for (JsonNode pod : pods) {
        assertThat(RestrictedPodChecker.violations(pod)).isEmpty();
        assertThat(pod.at("/spec/securityContext/runAsUser").asInt()).isEqualTo(10_001);
        assertThat(pod.at("/spec/containers/0/securityContext/readOnlyRootFilesystem").asBoolean())
            .isTrue();
      }
      assertThat(of(objects, "Service"))
          .allSatisfy(
              it -> assertThat(it.at("/spec/type").asText("ClusterIP")).isEqualTo("ClusterIP"));
      assertThat(of(objects, "Secret")).isEmpty();
      // Server-side apply of old API servers needs the protocol of each port.
      for (JsonNode service : of(objects, "Service")) {
        assertThat(service.at("/spec/ports/0/protocol").asText()).isEqualTo("TCP");
      }
    }

    assertThat(of(helm.template(CHART, kubernetes, EVERYTHING), "PodDisruptionBudget"))
        .hasSize(2)
        .allSatisfy(it -> assertThat(it.path("apiVersion").asText()).isEqualTo(disruption));
  }

  @Test
  void shouldFindWhatTheRestrictedProfileForbids() throws IOException {
    JsonNode pod =
        HelmInvoker.objects(
                """
                kind: Pod
                spec:
                  hostNetwork: true
                  volumes: [{name: a, hostPath: {path: /}}]
                  containers:
                    - {name: c, ports: [{hostPort: 1}], securityContext: {runAsUser: 0, privileged: true}}
                """)
            .getFirst();

    assertThat(RestrictedPodChecker.violations(pod))
        .containsExactly(
            "hostNetwork",
            "volume hostPath",
            "c: privileged",
            "c: allowPrivilegeEscalation is not false",
            "c: capabilities",
            "c: runAsNonRoot is not true",
            "c: runAsUser is 0",
            "c: seccompProfile",
            "c: hostPort");
  }

  @Test
  void shouldRestrictTheDemoServers() throws IOException {
    for (String server : List.of("kafka", "postgres", "s3")) {
      List<JsonNode> objects =
          HelmInvoker.objects(Files.readString(KUBERNETES.resolve("demo/" + server + ".yaml")));

      assertThat(RestrictedPodChecker.pods(objects))
          .hasSize(1)
          .allSatisfy(it -> assertThat(RestrictedPodChecker.violations(it)).isEmpty());
    }
  }

  @Test
  void shouldUseTheImagesOfTheComposeFileInTheDemo() throws IOException {
    String compose = Files.readString(PROJECT.resolve("docker-compose.yml"));
    JsonNode images =
        HelmInvoker.objects(Files.readString(KUBERNETES.resolve("demo/kustomization.yaml")))
            .getFirst()
            .path("images");

    assertThat(images).hasSize(3);
    for (JsonNode image : images) {
      assertThat(compose)
          .contains(
              ":-%s:%s}".formatted(image.path("newName").asText(), image.path("newTag").asText()));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--set unknown=1 | additional properties 'unknown' not allowed",
        "--set orchestrator.replica=2 | additional properties 'replica' not allowed",
        "--set orchestrator.replicas=-1 | at '/orchestrator/replicas': minimum",
        "--set orchestrator.heap=1Gi | at '/orchestrator/heap': '1Gi' does not match pattern",
        "--set kafka.bootstrapServers=kafka | at '/kafka/bootstrapServers': 'kafka' does not match",
        "--set postgres.port=0 | at '/postgres/port': minimum",
        "--set objectStore.endpoint=s3:9000 | at '/objectStore/endpoint': 's3:9000' does not match",
        "--set runners.egress=all | at '/runners/egress': value must be one of 'public', 'none', 'custom'",
        "--set runners.pools.big.gpu=1 | additional properties 'gpu' not allowed",
        "--set runners.pools.big.memory=2Gi | '2Gi' does not match pattern",
        "--set networkPolicy.clients[0].pods=x | additional properties 'pods' not allowed",
        "--set image.pullPolicy=Sometimes | at '/image/pullPolicy': value must be one of",
        "--set kafka.bootstrapServers= | kafka.bootstrapServers is required",
        "--set postgres.existingSecret= | postgres.existingSecret is required",
        "--set attach.existingSecret= | attach.existingSecret is required",
        "--set identity.existingSecret= | identity.existingSecret is required",
        "--set identity.oidc.issuer=http://sso.example | at '/identity/oidc/issuer'",
        "--set identity.oidc.issuer=https://sso.example | identity.oidc.audiences is required",
        "--set identity.oidc.issuer=https://sso.example,identity.oidc.audiences[0]=a | identity.oidc.roles is required",
        "--set identity.oidc.audiences[0]=a | identity.oidc.issuer is required",
        "--set identity.oidc.roles.a=root | at '/identity/oidc/roles/a'",
        "--set metrics.serviceMonitor.enabled=true,identity.viewerKeysKey= | identity.viewerKeysKey is required",
        "--set objectStore.endpoint= | objectStore.endpoint is required",
        "--set tls.existingSecret=a | tls.runnersSecret is required",
        "--set tls.runnersSecret=a | tls.existingSecret is required",
        "--set tls.existingSecret=a,tls.runnersSecret=b,tls.clientAuth=required | at '/tls/clientAuth'",
        "--set tls.existingSecret=a,tls.runnersSecret=b,orchestrator.advertisedUrl=http://a.example:1 | orchestrator.advertisedUrl begins with http:",
        "--set runners.defaults.volumes[0]=keys:/keys | at '/runners/defaults/volumes/0'",
        "--set runners.namespace.name=baton | runners.namespace.name is baton, the namespace of the release",
        "--set ingress.enabled=true,ingress.host=a.example | ingress.tlsSecret is empty",
        "--set runners.defaults.environment.A=${HOME} | container.environment: the value contains ${",
      })
  void shouldRefuseWrongValues(String arguments, String message) throws Exception {
    List<String> all = new ArrayList<>(List.of("template", "baton", CHART.toString()));
    all.addAll(List.of("--namespace", "baton"));
    all.addAll(DEMO);
    all.addAll(List.of(arguments.split(" ", 2)));

    Result result = helm.run(all);

    assertThat(result.code()).isNotZero();
    assertThat(result.output()).contains(message);
  }

  @Test
  void shouldRefuseKubernetesBefore120() throws Exception {
    Result result =
        helm.run(
            Stream.concat(
                    Stream.of("template", "baton", CHART.toString(), "--kube-version", "1.19.0"),
                    DEMO.stream())
                .toList());

    assertThat(result.code()).isNotZero();
    assertThat(result.output()).contains("requires kubeVersion: >=1.20.0-0");
  }

  @Test
  void shouldWriteTheSettingsOfTheLauncher() throws Exception {
    Properties settings = settings(helm.template(CHART, OLDEST, EVERYTHING), "baton-orchestrator");

    String launcher = "baton.launchers.kubernetes.";
    assertThat(settings)
        .containsEntry(launcher + "type", "kubernetes")
        .containsEntry(launcher + "container.image", "registry.example.com/baton/runner:9.9")
        .containsEntry(launcher + "pod.pull-secrets", "registry\nregistry-2")
        .containsEntry(launcher + "container.environment", "BACKSLASH=a\\b\nLANG=C.UTF-8")
        .containsEntry(launcher + "pools.big.pod.node-selector", "a.example/size=big\nzone=z")
        .containsEntry(launcher + "pools.big.pod.tolerations", "dedicated=runners:NoSchedule\nspot")
        .containsEntry(
            launcher + "pod.volumes",
            "secret:team-keys:/run/secrets/workflows\nsecret:authority:/run/secrets/baton-tls")
        .containsEntry(
            launcher + "pools.big.pod.volumes",
            "config-map:models:/etc/models\nsecret:authority:/run/secrets/baton-tls")
        .containsEntry(launcher + "pools.big.labels.size", "big")
        .containsEntry(launcher + "pools.big.container.cpus", "1.5")
        .containsEntry(launcher + "pools.big.warm", "0")
        .containsEntry(launcher + "pools.big.max-runners", "5")
        .containsEntry("baton.park-after", "5m")
        .containsEntry(
            "baton.http.allowed-hosts",
            "baton-orchestrator,baton-orchestrator.baton,baton-orchestrator.baton.svc,"
                + "baton-orchestrator.baton.svc.cluster.example,10.0.0.70,baton.example");
  }

  @Test
  void shouldUseTlsInEveryConnectionBetweenServices() throws Exception {
    String folder = "/run/secrets/baton-tls/";
    List<JsonNode> objects = helm.template(CHART, OLDEST, EVERYTHING);

    for (String service : List.of("baton-orchestrator", "baton-checkpoint-store")) {
      assertThat(settings(objects, service))
          .containsEntry("baton.tls.certificate", folder + "tls.crt")
          .containsEntry("baton.tls.key", folder + "tls.key")
          .containsEntry("baton.tls.trust", folder + "ca.crt")
          .containsEntry("baton.tls.client-auth", "requested");
    }
    assertThat(settings(objects, "baton-orchestrator"))
        .containsEntry("baton.runner.tls-certificate", folder + "tls.crt")
        .containsEntry("baton.runner.tls-key", folder + "tls.key")
        .hasEntrySatisfying(
            "baton.store-url", url -> assertThat(url.toString()).startsWith("https://"));
    for (JsonNode pod : RestrictedPodChecker.pods(objects)) {
      JsonNode container = pod.at("/spec/containers/0");
      for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
        assertThat(container.path(probe).at("/httpGet/scheme").asText("HTTPS")).isEqualTo("HTTPS");
      }
      assertThat(container.path("volumeMounts").findValuesAsText("mountPath"))
          .contains("/run/secrets/baton-tls");
      assertThat(container.path("env").toString()).doesNotContain("http://");
    }
    assertThat(of(objects, "ServiceMonitor"))
        .hasSize(2)
        .allSatisfy(
            monitor ->
                assertThat(monitor.at("/spec/endpoints/0/scheme").asText()).isEqualTo("https"));
  }

  @Test
  void shouldUseNoTlsWithoutACertificate() throws Exception {
    List<JsonNode> objects = helm.template(CHART, OLDEST, DEMO);

    assertThat(settings(objects, "baton-orchestrator").stringPropertyNames())
        .noneMatch(key -> key.contains("tls") || key.endsWith("pod.volumes"));
    assertThat(RestrictedPodChecker.pods(objects))
        .allSatisfy(pod -> assertThat(pod.toString()).doesNotContain("tls", "https"));
  }

  @Test
  void shouldWriteTheSettingsOfASingleSignOn() throws Exception {
    String prefix = "baton.identity.oidc.";
    List<JsonNode> objects = helm.template(CHART, OLDEST, EVERYTHING);

    for (String service : List.of("baton-orchestrator", "baton-checkpoint-store")) {
      assertThat(settings(objects, service))
          .containsEntry(prefix + "issuer", "https://sso.example/realms/a")
          .containsEntry(prefix + "audience", "baton,api://baton")
          .containsEntry(prefix + "roles-claim", "groups")
          .containsEntry(prefix + "principal-claim", "email")
          .containsEntry(prefix + "roles", "Team A payments=operator *=viewer\nplatform *=admin")
          // The setting after it is on a line of its own.
          .containsKey("baton.http.allowed-hosts");
    }
    assertThat(settings(helm.template(CHART, OLDEST, DEMO), "baton-orchestrator"))
        .doesNotContainKey(prefix + "issuer");
  }

  @Test
  void shouldGrantTheRightsOfTheFileForOrchestratorsOutside() throws Exception {
    List<JsonNode> chart = helm.template(CHART, OLDEST, DEMO);
    List<JsonNode> file = HelmInvoker.objects(Files.readString(KUBERNETES.resolve("rbac.yaml")));

    assertThat(one(chart, "Role", "baton-launcher").path("rules"))
        .isEqualTo(one(file, "Role", "baton-launcher").path("rules"));
    assertThat(of(chart, "Role")).hasSize(1);
    assertThat(of(chart, "ClusterRole")).isEmpty();
    JsonNode binding = one(chart, "RoleBinding", "baton-launcher");
    assertThat(binding.path("roleRef"))
        .isEqualTo(one(file, "RoleBinding", "baton-launcher").path("roleRef"));
    assertThat(binding.path("subjects")).hasSize(1);
    assertThat(binding.at("/subjects/0/namespace").asText()).isEqualTo("baton");
    String enforced = "/metadata/labels/pod-security.kubernetes.io~1enforce";
    assertThat(one(chart, "Namespace", "baton-runners").at(enforced))
        .isEqualTo(one(file, "Namespace", "baton-runners").at(enforced));
    assertThat(one(chart, "ServiceAccount", "baton-runner").path("automountServiceAccountToken"))
        .isEqualTo(
            one(file, "ServiceAccount", "baton-runner").path("automountServiceAccountToken"));
  }

  @Test
  void shouldGrantTheOperatorTheRightsOfTheFile() throws Exception {
    List<JsonNode> chart = helm.template(CHART, OLDEST, EVERYTHING);
    List<JsonNode> file = HelmInvoker.objects(Files.readString(KUBERNETES.resolve("rbac.yaml")));

    List<JsonNode> granted = new ArrayList<>();
    one(chart, "Role", "baton-operator").path("rules").forEach(granted::add);
    one(chart, "Role", "baton-operator-lease").path("rules").forEach(granted::add);
    List<JsonNode> expected = new ArrayList<>();
    one(file, "Role", "baton-operator").path("rules").forEach(expected::add);
    assertThat(granted).isEqualTo(expected);
    assertThat(of(chart, "Role"))
        .extracting(it -> it.at("/metadata/namespace").asText("baton"))
        .containsExactlyInAnyOrder("baton-runners", "baton-runners", "team-a", "team-b", "baton");
    assertThat(one(chart, "Role", "baton-runner-pools").path("rules"))
        .isEqualTo(one(file, "Role", "baton-runner-pools").path("rules"));
    assertThat(one(chart, "RoleBinding", "baton-runner-pools").at("/subjects/0/namespace").asText())
        .isEqualTo("baton");
    JsonNode cluster = one(chart, "ClusterRole", "baton-baton-operator").at("/rules");
    assertThat(cluster).hasSize(1);
    assertThat(cluster.at("/0/resources/0").asText()).isEqualTo("namespaces");
    assertThat(cluster.at("/0/verbs").toString()).isEqualTo("[\"get\"]");
    assertThat(cluster.at("/0/resourceNames").toString()).isEqualTo("[\"team-a\",\"team-b\"]");
    assertThat(of(chart, "ClusterRole")).hasSize(1);
    List<String> without = new ArrayList<>(EVERYTHING);
    without.addAll(List.of("--set", "operator.readNamespaces=false"));
    assertThat(of(helm.template(CHART, OLDEST, without), "ClusterRole")).isEmpty();
    assertThat(settings(chart, "baton-orchestrator"))
        .containsEntry("baton.operator.enabled", "true")
        .containsEntry("baton.operator.namespaces", "team-a,team-b");
  }

  @ParameterizedTest
  @CsvSource({"none, 4", "public, 5", "custom, 5"})
  void shouldCloseTheRunners(String egress, int rules) throws Exception {
    List<String> values = new ArrayList<>(DEMO);
    values.addAll(List.of("--set", "runners.egress=" + egress));
    values.addAll(List.of("--set", "runners.egressRules[0].to[0].ipBlock.cidr=10.9.0.0/16"));

    List<JsonNode> objects = helm.template(CHART, OLDEST, values);

    JsonNode spec =
        of(objects, "NetworkPolicy").stream()
            .filter(it -> it.at("/metadata/namespace").asText().equals("baton-runners"))
            .findFirst()
            .orElseThrow()
            .path("spec");
    assertThat(spec.path("policyTypes").toString()).isEqualTo("[\"Ingress\",\"Egress\"]");
    assertThat(spec.path("ingress")).isEmpty();
    assertThat(spec.path("egress")).hasSize(rules);
    assertThat(spec.at("/egress/3/ports").toString())
        .isEqualTo("[{\"port\":9092},{\"port\":9000}]");
    assertThat(spec.path("egress").toString().contains("169.254.0.0/16"))
        .isEqualTo(egress.equals("public"));
    assertThat(spec.path("egress").toString().contains("10.9.0.0/16"))
        .isEqualTo(egress.equals("custom"));
  }

  @Test
  void shouldAdmitToTheOrchestratorOnlyWhatIsNamed() throws Exception {
    JsonNode closed =
        one(helm.template(CHART, OLDEST, DEMO), "NetworkPolicy", "baton-orchestrator");
    JsonNode opened =
        one(helm.template(CHART, OLDEST, EVERYTHING), "NetworkPolicy", "baton-orchestrator");

    assertThat(closed.at("/spec/ingress")).hasSize(1);
    assertThat(closed.at("/spec/ingress/0/from")).hasSize(3);
    assertThat(opened.at("/spec/ingress/0/from")).hasSize(5);
    assertThat(opened.at("/spec/ingress/0/from/3").toString()).contains("ingress-nginx");
    assertThat(opened.at("/spec/ingress/0/from/4").toString()).contains("prometheus");
  }

  @Test
  void shouldHaveTheCustomResourceDefinitionsOfTheFolder() throws Exception {
    List<Path> definitions = yaml(KUBERNETES.resolve("crds"));

    assertThat(yaml(CRD_CHART.resolve("files")).stream().map(Path::getFileName).toList())
        .isEqualTo(definitions.stream().map(Path::getFileName).toList());
    for (Path definition : definitions) {
      assertThat(CRD_CHART.resolve("files").resolve(definition.getFileName()))
          .hasSameTextualContentAs(definition);
    }
    List<JsonNode> rendered = helm.template(CRD_CHART, OLDEST, List.of());
    assertThat(rendered)
        .hasSize(definitions.size())
        .allSatisfy(
            it ->
                assertThat(it.at("/metadata/annotations/helm.sh~1resource-policy").asText())
                    .isEqualTo("keep"));
    assertThat(helm.run(List.of("lint", "--strict", CRD_CHART.toString())).code()).isZero();
  }

  private static List<Path> yaml(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(it -> it.toString().endsWith(".yaml"))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }
}
