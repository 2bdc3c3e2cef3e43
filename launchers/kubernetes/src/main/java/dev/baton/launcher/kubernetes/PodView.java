/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.RunnerPhase;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pod as the API server reports it.
 *
 * @param uid never used for another pod
 * @param runner its label; empty for a pod of another origin
 * @param installation its label; empty for a pod of another origin
 * @param run null for a runner of a pool
 * @param secret name of the secret with its variables; empty for a pod of another origin
 * @param reason why it is in this phase; null when Kubernetes has no reason
 * @param created time of its creation
 * @param overdue when its deletion should have ended it; null when it is not being deleted
 * @param source what the API server sent
 */
record PodView(
    String name,
    String uid,
    String runner,
    String installation,
    @Nullable String run,
    int epoch,
    String secret,
    RunnerPhase phase,
    @Nullable String reason,
    Instant created,
    @Nullable Instant overdue,
    Pod source) {
  static PodView of(Pod pod) {
    ObjectMeta meta = pod.getMetadata();
    Map<String, String> labels = Objects.requireNonNullElse(meta.getLabels(), Map.of());
    String deletion = meta.getDeletionTimestamp();
    PodPhase phase = PodPhase.of(pod);
    return new PodView(
        meta.getName(),
        Objects.requireNonNullElse(meta.getUid(), ""),
        labels.getOrDefault(PodLabels.RUNNER, ""),
        labels.getOrDefault(PodLabels.INSTALLATION, ""),
        labels.get(PodLabels.RUN),
        epoch(labels.getOrDefault(PodLabels.EPOCH, "0")),
        secret(pod),
        phase.phase(),
        phase.reason(),
        time(meta.getCreationTimestamp()),
        deletion == null ? null : time(deletion), // The API server has added the grace period.
        pod);
  }

  private static int epoch(String label) {
    try {
      return Integer.parseInt(label);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static String secret(Pod pod) {
    for (Container container : pod.getSpec().getContainers()) {
      for (EnvFromSource source : container.getEnvFrom()) {
        if (source.getSecretRef() != null && source.getSecretRef().getName() != null) {
          return source.getSecretRef().getName();
        }
      }
    }
    return "";
  }

  /** Returns the epoch of time for a text that is none. */
  static Instant time(@Nullable String text) {
    try {
      return text == null ? Instant.EPOCH : Instant.parse(text);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }

  /**
   * Whether its node may create its container at any moment, or has created it and not reported it
   * yet; also after a failed attempt, since a kubelet repeats it.
   */
  boolean isCreating() {
    return phase == RunnerPhase.PULLING || phase == RunnerPhase.STARTING;
  }

  /** Whether no node can have a process of it. */
  boolean isUnassigned() {
    return phase == RunnerPhase.QUEUED;
  }

  /** Whether it has, or may get, a process. */
  boolean isLive() {
    return phase.isLive();
  }
}
