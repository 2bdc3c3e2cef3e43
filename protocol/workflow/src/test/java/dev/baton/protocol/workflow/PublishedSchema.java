/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/** The schema for completion in editors. */
final class PublishedSchema {
  private static final InputSchema SCHEMA = new InputSchema(load());

  private PublishedSchema() {}

  static List<String> violations(JsonNode definition) {
    return SCHEMA.validate(definition).stream().map(v -> v.pointer() + ": " + v.message()).toList();
  }

  static InputSchema schema() {
    return SCHEMA;
  }

  private static JsonNode load() {
    try (InputStream in =
        PublishedSchema.class.getResourceAsStream(
            "/dev/baton/protocol/schema/workflow.schema.json")) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in, "workflow.schema.json"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
