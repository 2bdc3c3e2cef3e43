/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.launch.RunnerPoolService;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jspecify.annotations.Nullable;

/** Starts the operator where it is enabled, and stops it before the services that it uses. */
@ApplicationScoped
class OperatorLifecycle {
  private final OrchestratorConfig config;
  private final LocalOrchestratorClient client;
  private final RunnerPoolService pools;
  private volatile @Nullable AutoCloseable operator;

  OperatorLifecycle(
      OrchestratorConfig config, LocalOrchestratorClient client, RunnerPoolService pools) {
    this.config = config;
    this.client = client;
    this.pools = pools;
  }

  void onStart(@Observes @Priority(2500) StartupEvent event) {
    if (config.operator().enabled()) {
      operator = OperatorCreator.start(config, client, pools.namespaces());
    }
  }

  void onStop(@Observes @Priority(5) ShutdownEvent event) throws Exception {
    AutoCloseable running = operator;
    if (running != null) {
      running.close();
    }
  }
}
