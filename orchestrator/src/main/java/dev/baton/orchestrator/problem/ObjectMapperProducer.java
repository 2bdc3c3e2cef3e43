/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.protocol.json.Json;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Provides the protocol's mapper to the REST layer, so that both write the same JSON. */
class ObjectMapperProducer {
  @Produces
  @Singleton
  ObjectMapper mapper() {
    return Json.mapper();
  }
}
