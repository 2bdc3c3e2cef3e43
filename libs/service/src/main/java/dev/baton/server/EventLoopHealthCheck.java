/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.quarkus.arc.DefaultBean;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Reports ready while no event loop is blocked. Never blocks. */
@Readiness
@ApplicationScoped
class EventLoopHealthCheck implements HealthCheck {
  private final EventLoopGuard guard;

  EventLoopHealthCheck(EventLoopGuard guard) {
    this.guard = guard;
  }

  @Produces
  @Singleton
  @DefaultBean
  static BlockedLoopEffect notReady() {
    return new BlockedLoopEffect("this replica is not ready");
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("event loops").status(guard.blocked() == 0).build();
  }
}
