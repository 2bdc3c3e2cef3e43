/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.orchestrator.config.OrchestratorConfig;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Creates the verifier of leases, and loads its keys before the Kafka channels open. */
@Dependent
class LeaseAuthenticatorProducer {
  /** Runs before the Kafka channels open. */
  private static final int FIRST = 100;

  private static final Duration SQL = Duration.ofSeconds(10);

  @Produces
  @Singleton
  LeaseAuthenticator authenticator(
      ReplicaLeaseKeySource keys, OrchestratorConfig config, MeterRegistry metrics) {
    return new LeaseAuthenticator(keys, config.lease().required(), metrics, "baton.leases.refused");
  }

  void onStart(@Observes @Priority(FIRST) StartupEvent event, LeaseAuthenticator leases) {
    leases.start().await().atMost(SQL);
  }
}
