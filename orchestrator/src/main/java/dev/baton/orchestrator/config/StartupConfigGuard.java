/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import dev.baton.protocol.clock.ClockGuard;
import dev.baton.protocol.file.PrivateFolderCreator;
import dev.baton.server.KeyFileLoader;
import dev.baton.server.oidc.OidcSettings;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Validates the settings before any other component starts. */
@ApplicationScoped
class StartupConfigGuard {
  private static final Logger LOG = Logger.getLogger(StartupConfigGuard.class);

  private final OrchestratorConfig config;
  private final String host;

  StartupConfigGuard(
      OrchestratorConfig config, @ConfigProperty(name = "quarkus.http.host") String host) {
    this.config = config;
    this.host = host;
  }

  void onStart(@Observes @Priority(1) StartupEvent event) throws IOException {
    List<String> problems = new ArrayList<>(OrchestratorConfigValidator.problems(config));
    problems.addAll(AttachTokenLoader.problems(config.attach(), host));
    OrchestratorConfig.Identity identity = config.identity();
    problems.addAll(
        KeyFileLoader.problems(
            new KeyFileLoader.Settings(
                identity.required(), identity.adminKeysFile(), identity.viewerKeysFile()),
            host));
    problems.addAll(OidcSettings.problems(identity.oidc()));
    if (!problems.isEmpty()) {
      throw new IllegalStateException("configuration: " + String.join("; ", problems));
    }
    PrivateFolderCreator.create(config.data());
    ClockGuard.start(LOG::fatal);
  }
}
