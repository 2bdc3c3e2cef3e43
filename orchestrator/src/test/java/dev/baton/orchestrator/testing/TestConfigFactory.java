/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.orchestrator.config.OrchestratorConfig;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Creates the service's settings without the service. */
public final class TestConfigFactory {
  private TestConfigFactory() {}

  public static OrchestratorConfig of(Map<String, String> some) {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "baton.data", "/tmp",
                "baton.instance-id", "test",
                "baton.store-url", "http://127.0.0.1:1",
                "baton.orchestrator-url", "http://127.0.0.1:2"));
    all.putAll(some);
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .withConverter(Duration.class, 300, new DurationConverter())
        .withMapping(OrchestratorConfig.class)
        .withSources(new PropertiesConfigSource(all, "test", 100))
        .build()
        .getConfigMapping(OrchestratorConfig.class);
  }
}
