/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.launcher.RunnerLauncher;
import dev.baton.launcher.testkit.RefusingRunnerLauncher;
import dev.baton.launcher.testkit.UnkillableRunnerLauncher;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.launch.RunnerLauncherFactory;
import io.quarkus.test.Mock;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Wraps the launchers of processes, so that a run can be unkillable in a test. */
@Mock
@ApplicationScoped
public class UnkillableLauncherFactory extends RunnerLauncherFactory {
  private final List<UnkillableRunnerLauncher> launchers = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable RefusingRunnerLauncher> lasting = new AtomicReference<>();

  private final AtomicReference<@Nullable PooledRunnerLauncher> pooled = new AtomicReference<>();

  public void makeUnkillable(String run) {
    launchers.forEach(launcher -> launcher.makeUnkillable(run));
  }

  public void makeKillable(String run) {
    launchers.forEach(launcher -> launcher.makeKillable(run));
  }

  /** The launcher with the label {@code lasting}. */
  public RefusingRunnerLauncher lasting() {
    return Objects.requireNonNull(lasting.get());
  }

  /** The launcher with the label {@code pooled}. */
  public PooledRunnerLauncher pooled() {
    return Objects.requireNonNull(pooled.get());
  }

  @Override
  public Optional<RunnerLauncher> create(
      OrchestratorConfig config, OrchestratorConfig.LauncherSettings settings) {
    return super.create(config, settings)
        .map(
            launcher -> {
              UnkillableRunnerLauncher wrapped = new UnkillableRunnerLauncher(launcher);
              launchers.add(wrapped);
              if (settings.labels().containsKey("pooled")) {
                pooled.set(new PooledRunnerLauncher(wrapped));
                return pooled();
              }
              if (!settings.labels().containsKey("lasting")) {
                return wrapped;
              }
              lasting.set(new RefusingRunnerLauncher(wrapped));
              return lasting();
            });
  }
}
