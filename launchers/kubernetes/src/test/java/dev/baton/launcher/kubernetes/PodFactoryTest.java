/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchSpec;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PodFactoryTest {
  private static final LaunchSpec SPEC =
      new LaunchSpec(
          "01hzy-3", "01HZY", 3, "big", Map.of("BATON_LEASE", "lease-text", "A", "of the launch"));

  private final PodFactory factory = new PodFactory("main");
  private final Pod pod = factory.pod(SPEC, PodPool.of(TestPods.settings()), "secret-1");

  @Test
  void shouldNameAndLabelThePod() {
    assertThat(pod.getMetadata().getName()).isEqualTo("baton-main-01hzy-3");
    assertThat(pod.getMetadata().getLabels())
        .isEqualTo(
            Map.of(
                "app.kubernetes.io/managed-by", "baton",
                "baton.dev/installation", "main",
                "baton.dev/runner", "01hzy-3",
                "baton.dev/run", "01HZY",
                "baton.dev/epoch", "3",
                "baton.dev/pool", "big"));
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
    assertThat(
            factory
                .pod(
                    new LaunchSpec("warm-1", null, 0, "default", Map.of()),
                    PodPool.of(TestPods.settings()),
                    "s")
                .getMetadata()
                .getLabels())
        .doesNotContainKeys("baton.dev/run", "baton.dev/epoch");
  }

  /** The rules of https://kubernetes.io/docs/concepts/security/pod-security-standards. */
  @Test
  void shouldSatisfyTheRestrictedProfile() {
    PodSecurityContext all = pod.getSpec().getSecurityContext();
    assertThat(all.getRunAsNonRoot()).isTrue();
    assertThat(all.getRunAsUser()).isEqualTo(10_001);
    assertThat(all.getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    SecurityContext own = container().getSecurityContext();
    assertThat(own.getAllowPrivilegeEscalation()).isFalse();
    assertThat(own.getReadOnlyRootFilesystem()).isTrue();
    assertThat(own.getCapabilities().getDrop()).containsExactly("ALL");
    assertThat(own.getCapabilities().getAdd()).isEmpty();
    assertThat(own.getPrivileged()).isNull();
    assertThat(pod.getSpec().getHostNetwork()).isNull();
    assertThat(pod.getSpec().getVolumes())
        .allSatisfy(
            volume ->
                assertThat(
                        Stream.of(volume.getEmptyDir(), volume.getSecret(), volume.getConfigMap())
                            .filter(Objects::nonNull))
                    .hasSize(1));
    assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
  }

  @Test
  void shouldMountATokenForOneAudienceOnly() {
    PodSettings with = TestPods.withToken("vault.example");
    Pod mounted = factory.pod(SPEC, PodPool.of(with), "secret-1");

    ServiceAccountTokenProjection token =
        mounted.getSpec().getVolumes().stream()
            .filter(volume -> volume.getProjected() != null)
            .map(volume -> volume.getProjected().getSources().getFirst().getServiceAccountToken())
            .findFirst()
            .orElseThrow();
    assertThat(token.getAudience()).isEqualTo("vault.example");
    assertThat(token.getExpirationSeconds()).isEqualTo(3_600);
    assertThat(mounted.getSpec().getAutomountServiceAccountToken()).isFalse();
    assertThat(mounted.getSpec().getContainers().getFirst().getVolumeMounts())
        .filteredOn(mount -> mount.getName().equals("token"))
        .singleElement()
        .satisfies(
            mount -> {
              assertThat(mount.getMountPath() + "/" + token.getPath())
                  .isEqualTo("/run/secrets/baton/token");
              assertThat(mount.getReadOnly()).isTrue();
            });
  }

  private Container container() {
    assertThat(pod.getSpec().getContainers()).hasSize(1);
    return pod.getSpec().getContainers().getFirst();
  }

  @Test
  void shouldRunOnceOnTheConfiguredNodesWithinTheConfiguredLimits() {
    assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(pod.getSpec().getTerminationGracePeriodSeconds()).isEqualTo(45);
    assertThat(pod.getSpec().getNodeSelector()).isEqualTo(Map.of("kubernetes.io/arch", "amd64"));
    assertThat(pod.getSpec().getServiceAccountName()).isEqualTo("runners");
    assertThat(pod.getSpec().getPriorityClassName()).isEqualTo("batch");
    assertThat(pod.getSpec().getImagePullSecrets())
        .singleElement()
        .satisfies(secret -> assertThat(secret.getName()).isEqualTo("registry"));
    assertThat(pod.getSpec().getTolerations())
        .extracting(
            Toleration::getKey,
            Toleration::getOperator,
            Toleration::getValue,
            Toleration::getEffect)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("dedicated", "Equal", "runners", "NoSchedule"),
            org.assertj.core.groups.Tuple.tuple("spot", "Exists", null, null));
    assertThat(container().getResources().getLimits())
        .isEqualTo(Map.of("memory", new Quantity("67108864"), "cpu", new Quantity("1500m")));
    assertThat(container().getResources().getRequests())
        .isEqualTo(Map.of("memory", new Quantity("33554432"), "cpu", new Quantity("250m")));
    assertThat(container().getArgs()).isEqualTo(TestPods.COMMAND);
    assertThat(container().getImagePullPolicy()).isEqualTo("Never");
    assertThat(container().getVolumeMounts())
        .extracting(mount -> mount.getMountPath())
        .containsExactlyInAnyOrder(
            "/work", "/tmp", "/home/baton", "/run/secrets/workflows", "/run/baton/tls");
  }

  @Test
  void shouldMountSecretsAndConfigMapsForReadingOnly() {
    assertThat(container().getVolumeMounts())
        .filteredOn(mount -> mount.getName().startsWith("files-"))
        .hasSize(2)
        .allSatisfy(mount -> assertThat(mount.getReadOnly()).isTrue());
    assertThat(pod.getSpec().getVolumes())
        .filteredOn(volume -> volume.getSecret() != null)
        .singleElement()
        .satisfies(
            volume -> {
              assertThat(volume.getSecret().getSecretName()).isEqualTo("team-keys");
              assertThat(volume.getSecret().getDefaultMode()).isEqualTo(0440);
            });
    assertThat(pod.getSpec().getVolumes())
        .filteredOn(volume -> volume.getConfigMap() != null)
        .singleElement()
        .satisfies(volume -> assertThat(volume.getConfigMap().getName()).isEqualTo("authority"));
  }

  @Test
  void shouldKeepVariablesInASecretThatBelongsToThePod() {
    Pod created = new PodBuilder(pod).editMetadata().withUid("uid-1").endMetadata().build();

    Secret secret = factory.secret(SPEC, TestPods.settings(), PodView.of(created));

    assertThat(Serialization.asJson(pod)).doesNotContain("lease-text", "of the launch", "other");
    assertThat(secret.getMetadata().getName()).isEqualTo("secret-1");
    assertThat(secret.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(
            owner -> {
              assertThat(owner.getKind()).isEqualTo("Pod");
              assertThat(owner.getName()).isEqualTo("baton-main-01hzy-3");
              assertThat(owner.getUid()).isEqualTo("uid-1");
            });
    assertThat(secret.getStringData())
        .isEqualTo(
            Map.of(
                "KIT_OTHER", "other",
                "A", "of the launch",
                "BATON_LEASE", "lease-text",
                "BATON_RUNNER_GRACE", "45s",
                "BATON_RUNNER_ID", "01hzy-3",
                "BATON_RUN_ID", "01HZY",
                "BATON_EPOCH", "3"));
    assertThat(container().getEnv()).isEqualTo(List.of());
  }
}
