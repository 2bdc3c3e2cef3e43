/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.RunnerPoolTemplate;
import dev.baton.launcher.RunnerVariables;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Describes the pod of a runner and its secret. The pod satisfies the profile <i>restricted</i> of
 * Kubernetes' pod security standards. Its variables, which contain tokens, are in the secret: more
 * people may read pods than secrets.
 */
final class PodFactory {
  static final String CONTAINER = "runner";

  /** The user of Baton's images. */
  private static final long USER = 10_001;

  private static final long MILLI = 1_000;

  /** Where runners write, by the name of the volume. */
  private static final Map<String, String> FOLDERS =
      new TreeMap<>(Map.of("work", "/work", "tmp", "/tmp", "home", "/home/baton"));

  /** The beginning of the names of volumes with files. */
  private static final String FILES = "files-";

  /** The mode of these files: the runner's group owns them. */
  private static final int READABLE = 0440;

  /** The file with the token of the service account, and the folder of the file. */
  private static final String TOKEN = "token";

  private static final String TOKEN_FOLDER = "/run/secrets/baton";

  /** The kubelet replaces the token after four fifths of it. */
  private static final long TOKEN_SECONDS = 3_600;

  private final String installation;

  PodFactory(String installation) {
    this.installation = installation;
  }

  /**
   * @param secret name of the secret with its variables, which need not exist yet
   */
  Pod pod(LaunchSpec spec, PodPool pool, String secret) {
    PodSettings settings = pool.settings();
    PodSpecBuilder pod =
        new PodSpecBuilder()
            .withRestartPolicy("Never")
            .withTerminationGracePeriodSeconds(settings.grace().toSeconds())
            .withAutomountServiceAccountToken(false)
            .withEnableServiceLinks(false)
            .withNodeSelector(settings.nodeSelector())
            .withTolerations(settings.tolerations().stream().map(PodFactory::toleration).toList())
            .withImagePullSecrets(
                settings.pullSecrets().stream().map(LocalObjectReference::new).toList())
            .withNewSecurityContext()
            .withRunAsNonRoot(true)
            .withRunAsUser(USER)
            .withRunAsGroup(USER)
            .withFsGroup(USER)
            .withNewSeccompProfile()
            .withType("RuntimeDefault")
            .endSeccompProfile()
            .endSecurityContext()
            .withContainers(container(settings, secret).build())
            .withVolumes(volumes(settings));
    settings.serviceAccount().ifPresent(pod::withServiceAccountName);
    settings.priorityClass().ifPresent(pod::withPriorityClassName);
    return new PodBuilder()
        .withNewMetadata()
        .withName(PodLabels.name(installation, spec.runner()))
        .withLabels(PodLabels.of(installation, spec))
        .withAnnotations(Map.of("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"))
        .withOwnerReferences(pool.owner().stream().map(PodFactory::controller).toList())
        .endMetadata()
        .withSpec(pod.build())
        .build();
  }

  /**
   * The owner is shown as the controller, since {@code kubectl drain} refuses pods without one; it
   * replaces nothing. It does not block the owner's deletion, which would need a further right.
   */
  private static OwnerReference controller(RunnerPoolTemplate.Owner owner) {
    return new OwnerReferenceBuilder()
        .withApiVersion(owner.apiVersion())
        .withKind(owner.kind())
        .withName(owner.name())
        .withUid(owner.uid())
        .withController(true)
        .withBlockOwnerDeletion(false)
        .build();
  }

  private static ContainerBuilder container(PodSettings settings, String secret) {
    Map<String, Quantity> requests = new HashMap<>();
    requests.put("memory", bytes(settings.requestedMemoryBytes()));
    requests.put("cpu", processors(settings.requestedCpus()));
    Map<String, Quantity> limits = new HashMap<>();
    limits.put("memory", bytes(settings.memoryBytes()));
    if (settings.cpus() > 0) {
      limits.put("cpu", processors(settings.cpus()));
    }
    return new ContainerBuilder()
        .withName(CONTAINER)
        .withImage(settings.image())
        .withImagePullPolicy(settings.isPulled() ? "IfNotPresent" : "Never")
        .withArgs(settings.command())
        .addNewEnvFrom()
        .withNewSecretRef()
        .withName(secret)
        .endSecretRef()
        .endEnvFrom()
        .withNewResources()
        .withRequests(requests)
        .withLimits(limits)
        .endResources()
        .withNewSecurityContext()
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(settings.isReadOnly())
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .withVolumeMounts(mounts(settings));
  }

  private static List<VolumeMount> mounts(PodSettings settings) {
    List<VolumeMount> mounts = new ArrayList<>();
    FOLDERS.forEach(
        (name, path) ->
            mounts.add(new VolumeMountBuilder().withName(name).withMountPath(path).build()));
    for (int i = 0; i < settings.volumes().size(); i++) {
      mounts.add(
          new VolumeMountBuilder()
              .withName(FILES + i)
              .withMountPath(settings.volumes().get(i).path())
              .withReadOnly(true)
              .build());
    }
    if (settings.tokenAudience().isPresent()) {
      mounts.add(
          new VolumeMountBuilder()
              .withName(TOKEN)
              .withMountPath(TOKEN_FOLDER)
              .withReadOnly(true)
              .build());
    }
    return mounts;
  }

  private static List<Volume> volumes(PodSettings settings) {
    List<Volume> volumes = new ArrayList<>();
    for (String name : FOLDERS.keySet()) {
      volumes.add(
          new VolumeBuilder()
              .withName(name)
              .withNewEmptyDir()
              .withSizeLimit(
                  bytes(name.equals("work") ? settings.workBytes() : settings.tmpBytes()))
              .endEmptyDir()
              .build());
    }
    for (int i = 0; i < settings.volumes().size(); i++) {
      volumes.add(files(FILES + i, settings.volumes().get(i)));
    }
    settings.tokenAudience().ifPresent(audience -> volumes.add(token(audience)));
    return volumes;
  }

  private static Volume files(String name, PodVolume volume) {
    VolumeBuilder files = new VolumeBuilder().withName(name);
    return switch (volume.kind()) {
      case SECRET ->
          files
              .withNewSecret()
              .withSecretName(volume.name())
              .withDefaultMode(READABLE)
              .endSecret()
              .build();
      case CONFIG_MAP ->
          files
              .withNewConfigMap()
              .withName(volume.name())
              .withDefaultMode(READABLE)
              .endConfigMap()
              .build();
    };
  }

  /** A token that the API server does not accept, only servers of this audience. */
  private static Volume token(String audience) {
    return new VolumeBuilder()
        .withName(TOKEN)
        .withNewProjected()
        .addNewSource()
        .withNewServiceAccountToken()
        .withAudience(audience)
        .withExpirationSeconds(TOKEN_SECONDS)
        .withPath(TOKEN)
        .endServiceAccountToken()
        .endSource()
        .endProjected()
        .build();
  }

  private static Quantity bytes(long bytes) {
    return new Quantity(Long.toString(bytes));
  }

  private static Quantity processors(double count) {
    return new Quantity(Math.round(count * MILLI) + "m");
  }

  private static Toleration toleration(String text) {
    int colon = text.indexOf(':');
    String key = colon < 0 ? text : text.substring(0, colon);
    int sign = key.indexOf('=');
    TolerationBuilder toleration =
        sign < 0
            ? new TolerationBuilder().withKey(key).withOperator("Exists")
            : new TolerationBuilder()
                .withKey(key.substring(0, sign))
                .withOperator("Equal")
                .withValue(key.substring(sign + 1));
    return (colon < 0 ? toleration : toleration.withEffect(text.substring(colon + 1))).build();
  }

  /** Describes the secret of a pod that exists; Kubernetes deletes it with the pod. */
  Secret secret(LaunchSpec spec, PodSettings settings, PodView pod) {
    return new SecretBuilder()
        .withNewMetadata()
        .withName(pod.secret())
        .withLabels(PodLabels.of(installation, spec))
        .addNewOwnerReference()
        .withApiVersion("v1")
        .withKind("Pod")
        .withName(pod.name())
        .withUid(pod.uid())
        .endOwnerReference()
        .endMetadata()
        .withType("Opaque")
        .withImmutable(true)
        .withStringData(RunnerVariables.of(spec, settings.environment(), settings.grace()))
        .build();
  }
}
