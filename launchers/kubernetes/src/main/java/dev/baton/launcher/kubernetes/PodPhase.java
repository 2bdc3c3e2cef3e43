/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.RunnerPhase;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The phase of a pod's runner, and why it is in it.
 *
 * <pre>
 *   no node                                    → queued     "Unschedulable: 0/3 nodes are available …"
 *   a node, the container is being created     → pulling    "ImagePullBackOff: Back-off pulling image …"
 *   the container cannot be created or started → starting   "CreateContainerConfigError: …"
 *   the container runs                         → running
 *   the container or the pod has ended         → ended
 * </pre>
 *
 * A kubelet does not report whether it still pulls the image, so a container that is being created
 * counts as pulling: the time in which it must attach begins when it runs.
 */
record PodPhase(RunnerPhase phase, @Nullable String reason) {
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  /** Why a kubelet does not have the image. */
  private static final Set<String> IMAGE =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "ErrImageNeverPull",
          "ImageInspectError",
          "RegistryUnavailable",
          "SignatureValidationFailed");

  private static final Set<String> CREATING = Set.of("ContainerCreating", "PodInitializing");
  private static final int MAX_REASON = 500;

  static PodPhase of(Pod pod) {
    PodStatus status = pod.getStatus();
    if (status == null) {
      return new PodPhase(RunnerPhase.QUEUED, null);
    }
    ContainerState state = state(pod).orElse(null);
    if (ENDED.contains(Objects.requireNonNullElse(status.getPhase(), ""))
        || (state != null && state.getTerminated() != null)) {
      return new PodPhase(RunnerPhase.ENDED, null);
    }
    if (state != null && state.getRunning() != null) {
      return new PodPhase(RunnerPhase.RUNNING, text(status.getReason(), status.getMessage()));
    }
    if (pod.getSpec() == null || pod.getSpec().getNodeName() == null) {
      return new PodPhase(RunnerPhase.QUEUED, unscheduled(status));
    }
    ContainerStateWaiting waiting = state == null ? null : state.getWaiting();
    String word = waiting == null ? null : waiting.getReason();
    if (waiting == null || word == null || CREATING.contains(word)) {
      return new PodPhase(RunnerPhase.PULLING, null);
    }
    return new PodPhase(
        IMAGE.contains(word) ? RunnerPhase.PULLING : RunnerPhase.STARTING,
        text(word, waiting.getMessage()));
  }

  /** Returns the state of the runner's container; empty before the kubelet has reported one. */
  static Optional<ContainerState> state(Pod pod) {
    if (pod.getStatus() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getContainerStatuses().stream()
        .filter(container -> PodFactory.CONTAINER.equals(container.getName()))
        .map(ContainerStatus::getState)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Returns why its image is missing; empty when that is not why it waits. */
  static Optional<String> missingImage(Pod pod) {
    return state(pod)
        .map(ContainerState::getWaiting)
        .filter(waiting -> IMAGE.contains(Objects.requireNonNullElse(waiting.getReason(), "")))
        .map(waiting -> text(waiting.getReason(), waiting.getMessage()));
  }

  private static @Nullable String unscheduled(PodStatus status) {
    return status.getConditions().stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .filter(condition -> "False".equals(condition.getStatus()))
        .map(PodPhase::text)
        .findFirst()
        .orElse(null);
  }

  private static String text(PodCondition condition) {
    return Objects.requireNonNullElse(text(condition.getReason(), condition.getMessage()), "");
  }

  /** Returns Kubernetes' words, at most 500 characters. */
  static @Nullable String text(@Nullable String word, @Nullable String message) {
    if (word == null || word.isEmpty()) {
      return message == null || message.isEmpty() ? null : shorten(message);
    }
    return shorten(message == null || message.isEmpty() ? word : word + ": " + message);
  }

  private static String shorten(String text) {
    return text.length() <= MAX_REASON ? text : text.substring(0, MAX_REASON) + "…";
  }
}
