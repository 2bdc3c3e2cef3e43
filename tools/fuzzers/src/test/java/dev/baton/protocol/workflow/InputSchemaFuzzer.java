/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.fuzz.TextInput;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.List;

/** A schema, a NUL, and a value that it checks. */
public final class InputSchemaFuzzer {
  private InputSchemaFuzzer() {}

  public static void schema(byte[] input) throws IOException {
    List<byte[]> parts = TextInput.parts(input, 2);
    JsonNode schema;
    JsonNode value;
    try {
      schema = Json.checkedTree(parts.getFirst());
      value = Json.checkedTree(parts.getLast());
    } catch (JsonProcessingException notJson) {
      return;
    }
    InputSchema checked = new InputSchema(schema);
    if (!schema.isMissingNode() && !value.isMissingNode() && checked.check().isEmpty()) {
      checked.validate(value);
    }
  }
}
