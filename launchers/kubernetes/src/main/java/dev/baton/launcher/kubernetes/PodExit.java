/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.ExitReason;
import dev.baton.launcher.RunnerExit;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Derives the exit of a runner from the last state of its pod. */
final class PodExit {
  /** The part of this launcher in the end of a pod. */
  enum Removal {
    /** Nothing: it ended by itself, or another program deleted it. */
    NONE,
    /** This launcher has requested its deletion. */
    REQUESTED,
    /** Its node has not confirmed its deletion in time. */
    OVERDUE
  }

  private static final int MIB_SHIFT = 20;

  private PodExit() {}

  /**
   * @param pod as it was seen last
   * @param isDeleted whether it exists no more
   */
  static RunnerExit of(String runner, Pod pod, boolean isDeleted, Removal removal) {
    ContainerStateTerminated end =
        PodPhase.state(pod).map(state -> state.getTerminated()).orElse(null);
    Integer code = end == null ? null : end.getExitCode();
    if (end != null && "OOMKilled".equals(end.getReason()) && !Integer.valueOf(0).equals(code)) {
      return new RunnerExit(runner, code, ExitReason.OUT_OF_MEMORY, memory(pod));
    }
    Optional<RunnerExit> disruption = disruption(runner, pod, code);
    if (disruption.isPresent()) {
      return disruption.get();
    }
    if (removal == Removal.OVERDUE) {
      return new RunnerExit(
          runner, code, ExitReason.NODE_LOST, "its node has not confirmed the end of its pod");
    }
    if (removal == Removal.NONE
        && (isDeleted || pod.getMetadata().getDeletionTimestamp() != null)) {
      return new RunnerExit(runner, code, ExitReason.DELETED, "its pod was deleted");
    }
    if (code != null) {
      RunnerExit exit = RunnerExit.ofCode(runner, code);
      return new RunnerExit(runner, code, exit.reason(), detail(end));
    }
    if (removal == Removal.REQUESTED) {
      return PodPhase.missingImage(pod)
          .map(why -> new RunnerExit(runner, null, ExitReason.IMAGE_MISSING, why))
          .orElseGet(() -> new RunnerExit(runner, null, ExitReason.KILLED, null));
    }
    return RunnerExit.unknown(runner);
  }

  /** Kubernetes' own reason: a condition since 1.26, before that a word of the pod's status. */
  private static Optional<RunnerExit> disruption(String runner, Pod pod, @Nullable Integer code) {
    if (pod.getStatus() == null) {
      return Optional.empty();
    }
    for (PodCondition condition : pod.getStatus().getConditions()) {
      if ("DisruptionTarget".equals(condition.getType()) && "True".equals(condition.getStatus())) {
        return Optional.of(
            exit(
                runner,
                code,
                Objects.requireNonNullElse(condition.getReason(), ""),
                condition.getMessage()));
      }
    }
    String word = pod.getStatus().getReason();
    return word == null || word.isEmpty()
        ? Optional.empty()
        : Optional.of(exit(runner, code, word, pod.getStatus().getMessage()));
  }

  private static RunnerExit exit(
      String runner, @Nullable Integer code, String word, @Nullable String message) {
    ExitReason reason =
        switch (word) {
          case "PreemptionByScheduler", "PreemptionByKubeScheduler", "Preempting", "Preempted" ->
              ExitReason.PREEMPTED;
          case "DeletionByTaintManager", "DeletionByPodGC", "NodeLost" -> ExitReason.NODE_LOST;
          // Evicted, NodeShutdown, EvictionByEvictionAPI, TerminationByKubelet; and what a kubelet
          // does not admit: OutOfcpu, OutOfmemory, NodeAffinity, UnexpectedAdmissionError.
          default -> ExitReason.EVICTED;
        };
    return new RunnerExit(runner, code, reason, PodPhase.text(word, message));
  }

  private static String memory(Pod pod) {
    String limit =
        pod.getSpec().getContainers().stream()
            .filter(container -> PodFactory.CONTAINER.equals(container.getName()))
            .filter(container -> container.getResources() != null)
            .map(container -> container.getResources().getLimits())
            .filter(Objects::nonNull)
            .map(limits -> limits.get("memory"))
            .filter(Objects::nonNull)
            .map(PodExit::mebibytes)
            .findFirst()
            .orElse("unknown size");
    return "the container reached its memory limit of "
        + limit
        + "; raise container.memory of its launcher or pool";
  }

  private static String mebibytes(Quantity memory) {
    return (Quantity.getAmountInBytes(memory).longValue() >> MIB_SHIFT) + " MiB";
  }

  /** Returns why the container could not run; null for a program that ended by itself. */
  private static @Nullable String detail(@Nullable ContainerStateTerminated end) {
    if (end == null || end.getMessage() == null || end.getMessage().isBlank()) {
      return null;
    }
    return PodPhase.text(end.getReason(), end.getMessage().strip());
  }
}
