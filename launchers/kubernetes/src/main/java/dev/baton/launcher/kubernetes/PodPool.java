/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.RunnerPoolTemplate;
import java.util.Objects;
import java.util.Optional;

/**
 * How the pods of a pool are created.
 *
 * @param owner the object to which they belong; empty for pools of settings
 */
record PodPool(PodSettings settings, Optional<RunnerPoolTemplate.Owner> owner) {
  /** Returns a pool of settings. */
  static PodPool of(PodSettings settings) {
    return new PodPool(settings, Optional.empty());
  }

  /** Returns the pool of a template: what it does not state is that of the launcher. */
  static PodPool of(RunnerPoolTemplate template, PodSettings launcher) {
    long memory = Objects.requireNonNullElse(template.memoryBytes(), launcher.memoryBytes());
    double cpus = Objects.requireNonNullElse(template.cpus(), launcher.cpus());
    double requested =
        Objects.requireNonNullElse(template.requestedCpus(), launcher.requestedCpus());
    return new PodPool(
        new PodSettings(
            Objects.requireNonNullElse(template.image(), launcher.image()),
            launcher.command(),
            memory,
            Math.min(
                memory,
                Objects.requireNonNullElse(
                    template.requestedMemoryBytes(), launcher.requestedMemoryBytes())),
            cpus,
            cpus > 0 ? Math.min(requested, cpus) : requested,
            Objects.requireNonNullElse(template.workBytes(), launcher.workBytes()),
            Objects.requireNonNullElse(template.tmpBytes(), launcher.tmpBytes()),
            launcher.isReadOnly(),
            launcher.isPulled(),
            Objects.requireNonNullElse(template.grace(), launcher.grace()),
            launcher.environment(),
            launcher.serviceAccount(),
            launcher.tokenAudience(),
            launcher.pullSecrets(),
            launcher.volumes(),
            template.nodeSelector().isEmpty() ? launcher.nodeSelector() : template.nodeSelector(),
            template.tolerations().isEmpty() ? launcher.tolerations() : template.tolerations(),
            Optional.ofNullable(template.priorityClass()).or(launcher::priorityClass)),
        Optional.of(template.owner()));
  }
}
