/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import dev.baton.store.config.StoreConfig;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.time.Duration;
import java.util.Map;

/** Creates the service's settings without the service, with the converters of the service. */
public final class StoreTestConfigFactory {
  private StoreTestConfigFactory() {}

  public static StoreConfig of(Map<String, String> values) {
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .withConverter(Duration.class, 300, new DurationConverter())
        .withMapping(StoreConfig.class)
        .withDefaultValue("quarkus.http.port", "8082")
        .withDefaultValues(values)
        .build()
        .getConfigMapping(StoreConfig.class);
  }
}
