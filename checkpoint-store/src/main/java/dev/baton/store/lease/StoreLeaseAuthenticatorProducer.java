/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.lease;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.store.config.StoreConfig;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Creates the verifier of leases, and loads its stored keys before the channels open. */
@Dependent
class StoreLeaseAuthenticatorProducer {
  /** Runs before the channels open. */
  private static final int FIRST = 100;

  private static final Duration SQL = Duration.ofSeconds(10);

  @Produces
  @Singleton
  LeaseAuthenticator authenticator(
      PublishedLeaseKeySource keys, StoreConfig config, MeterRegistry metrics) {
    return new LeaseAuthenticator(
        keys, config.lease().required(), metrics, "baton.store.leases.refused");
  }

  void onStart(@Observes @Priority(FIRST) StartupEvent event, LeaseAuthenticator leases) {
    leases.start().await().atMost(SQL);
  }
}
