/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.load;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Reports ready while no event loop is blocked. Never blocks. */
@Readiness
@ApplicationScoped
class OrchestratorLoopHealthCheck implements HealthCheck {
  private final OrchestratorEventLoopGuard guard;

  OrchestratorLoopHealthCheck(OrchestratorEventLoopGuard guard) {
    this.guard = guard;
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("event loops").status(guard.blocked() == 0).build();
  }
}
