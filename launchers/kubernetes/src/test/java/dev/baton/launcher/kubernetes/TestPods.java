/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchSpec;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Settings and states of pods as a kubelet reports them. */
final class TestPods {
  static final List<String> COMMAND = List.of("/bin/sh", "-c", "eval \"$KIT_SCRIPT\"");

  private TestPods() {}

  static PodSettings settings() {
    return settings("local/busybox:1", 64L << 20);
  }

  static PodSettings settings(String image, long memory) {
    return settings(image, memory, Optional.empty());
  }

  /** Settings of pods with a token of their service account for this audience. */
  static PodSettings withToken(String audience) {
    return settings("local/busybox:1", 64L << 20, Optional.of(audience));
  }

  private static PodSettings settings(String image, long memory, Optional<String> audience) {
    return new PodSettings(
        image,
        COMMAND,
        memory,
        memory / 2,
        1.5,
        0.25,
        64L << 20,
        16L << 20,
        true,
        false,
        Duration.ofSeconds(45),
        Map.of("KIT_OTHER", "other", "A", "of the pool"),
        Optional.of("runners"),
        audience,
        List.of("registry"),
        List.of(
            PodVolume.parse("secret:team-keys:/run/secrets/workflows"),
            PodVolume.parse("config-map:authority:/run/baton/tls")),
        Map.of("kubernetes.io/arch", "amd64"),
        List.of("dedicated=runners:NoSchedule", "spot"),
        Optional.of("batch"));
  }

  /** Settings that every cluster accepts. */
  static PodSettings plain(String image, long memory) {
    return plain(image, memory, Map.of());
  }

  /** Settings that no scheduler can satisfy. */
  static PodSettings unschedulable(String image) {
    return plain(image, 64L << 20, Map.of("baton.dev/no-such-label", "true"));
  }

  private static PodSettings plain(String image, long memory, Map<String, String> nodes) {
    return new PodSettings(
        image,
        COMMAND,
        memory,
        1L << 20,
        0,
        0.01,
        64L << 20,
        16L << 20,
        true,
        false,
        Duration.ofSeconds(10),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        nodes,
        List.of(),
        Optional.empty());
  }

  /** A pod on a node with this status. */
  static Pod pod(PodStatus status) {
    LaunchSpec spec = new LaunchSpec("r-1", "R", 1, "default", Map.of());
    return new PodBuilder(new PodFactory("main").pod(spec, PodPool.of(settings()), "s"))
        .editMetadata()
        .withUid("uid-1")
        .endMetadata()
        .editSpec()
        .withNodeName("node-1")
        .endSpec()
        .withStatus(status)
        .build();
  }

  static PodStatus waiting(String reason, @Nullable String message) {
    return status(
        "Pending",
        new ContainerStateBuilder()
            .withNewWaiting()
            .withReason(reason)
            .withMessage(message)
            .endWaiting()
            .build());
  }

  static PodStatus running() {
    return status(
        "Running",
        new ContainerStateBuilder()
            .withNewRunning()
            .withStartedAt("2026-01-01T00:00:00Z")
            .endRunning()
            .build());
  }

  static PodStatus terminated(int code, String reason) {
    return status(
        code == 0 ? "Succeeded" : "Failed",
        new ContainerStateBuilder()
            .withNewTerminated()
            .withExitCode(code)
            .withReason(reason)
            .withFinishedAt("2026-01-01T00:00:05Z")
            .endTerminated()
            .build());
  }

  private static PodStatus status(String phase, ContainerState state) {
    return new PodStatusBuilder()
        .withPhase(phase)
        .addToContainerStatuses(
            new ContainerStatusBuilder()
                .withName(PodFactory.CONTAINER)
                .withImage("i")
                .withImageID("")
                .withReady(false)
                .withRestartCount(0)
                .withState(state)
                .build())
        .build();
  }
}
