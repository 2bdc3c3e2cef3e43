/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import io.quarkus.test.junit.callback.QuarkusTestAfterEachCallback;
import io.quarkus.test.junit.callback.QuarkusTestMethodContext;
import java.net.URI;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * Cancels the runs that a test leaves active: otherwise a failover would assign them to the runners
 * of the next test.
 */
public final class RunCancellingCallback implements QuarkusTestAfterEachCallback {
  @Override
  public void afterEach(QuarkusTestMethodContext context) {
    OrchestratorTestClient api =
        new OrchestratorTestClient(ConfigProvider.getConfig().getValue("test.url", URI.class));
    OrchestratorTestClient.Answer cancelled =
        api.json(
            "/runs/bulk/cancel", "{\"all\":true,\"limit\":1000,\"reason\":\"its test is over\"}");
    if (cancelled.status() != 200) {
      throw new IllegalStateException("cannot cancel the remaining runs: " + cancelled.text());
    }
  }
}
