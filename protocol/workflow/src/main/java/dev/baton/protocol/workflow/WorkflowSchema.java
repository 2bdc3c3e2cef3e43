/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Provides the published JSON Schema of definitions in YAML and JSON. Stateless. */
public final class WorkflowSchema {
  private static final String RESOURCE = "/dev/baton/protocol/schema/workflow.schema.json";

  private WorkflowSchema() {}

  public static JsonNode json() {
    try (InputStream in = WorkflowSchema.class.getResourceAsStream(RESOURCE)) {
      return Json.mapper().readTree(Objects.requireNonNull(in, RESOURCE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
