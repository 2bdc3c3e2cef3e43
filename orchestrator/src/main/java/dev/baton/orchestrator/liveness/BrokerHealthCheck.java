/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Reports ready while the brokers answer. Never blocks. */
@Readiness
@ApplicationScoped
class BrokerHealthCheck implements HealthCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final BrokerConnectivityProbe contact;

  BrokerHealthCheck(BrokerConnectivityProbe contact) {
    this.contact = contact;
  }

  @Override
  public HealthCheckResponse call() {
    boolean up = System.currentTimeMillis() - contact.asOf() < PATIENCE.toMillis();
    return HealthCheckResponse.named("kafka").status(up).build();
  }
}
