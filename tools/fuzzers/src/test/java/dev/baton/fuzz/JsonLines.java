/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.util.ArrayList;
import java.util.List;

/** Reads a value from each line, as readers of agents' output do. */
public final class JsonLines {
  private JsonLines() {}

  /** Returns the values of the lines that are JSON. */
  public static List<JsonNode> read(byte[] input) {
    List<JsonNode> values = new ArrayList<>();
    for (String line : TextInput.text(input).split("\n")) {
      try {
        values.add(Json.mapper().readTree(line));
      } catch (JsonProcessingException skipped) {
        // Such a line is counted and skipped.
      }
    }
    return values;
  }
}
