/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.RunnerPhase;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A container as Docker reports it.
 *
 * @param id 64 hexadecimal digits; never used for another container
 * @param runner its label; empty for a container of another origin
 * @param installation its label; empty for a container of another origin
 * @param run null for a runner of a pool
 * @param status Docker's word: created, running, paused, restarting, removing, exited, dead
 * @param created time of its creation
 */
record DockerContainer(
    String id,
    String runner,
    String installation,
    @Nullable String run,
    int epoch,
    String status,
    Instant created) {
  static DockerContainer of(
      String id, @Nullable Map<String, String> labels, String status, Instant created) {
    Map<String, String> known = labels == null ? Map.of() : labels;
    return new DockerContainer(
        id,
        known.getOrDefault(ContainerLabels.RUNNER, ""),
        known.getOrDefault(ContainerLabels.INSTALLATION, ""),
        known.get(ContainerLabels.RUN),
        epoch(known.getOrDefault(ContainerLabels.EPOCH, "0")),
        status,
        created);
  }

  static DockerContainer created(String id, String installation, LaunchSpec spec) {
    return new DockerContainer(
        id, spec.runner(), installation, spec.run(), spec.epoch(), "created", Instant.now());
  }

  DockerContainer started() {
    return new DockerContainer(id, runner, installation, run, epoch, "running", created);
  }

  private static int epoch(String label) {
    try {
      return Integer.parseInt(label);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  boolean isCreated() {
    return status.equals("created");
  }

  /** Whether it has, or may get, a process. */
  boolean isLive() {
    return phase().isLive();
  }

  RunnerPhase phase() {
    return switch (status) {
      case "created" -> RunnerPhase.STARTING;
      case "running", "paused", "restarting" -> RunnerPhase.RUNNING;
      default -> RunnerPhase.ENDED;
    };
  }
}
