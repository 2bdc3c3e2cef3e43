/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import org.eclipse.microprofile.config.ConfigProvider;

/** The addresses of the service under test and its servers. */
@ApplicationScoped
public class OrchestratorTestEnvironment {
  public URI base() {
    return URI.create(ConfigProvider.getConfig().getValue("test.url", String.class) + "/");
  }

  public OrchestratorTestClient api() {
    return new OrchestratorTestClient(base());
  }

  public TraceLog log() {
    return new TraceLog(
        ConfigProvider.getConfig().getValue("kafka.bootstrap.servers", String.class));
  }

  public int port() {
    return base().getPort();
  }
}
